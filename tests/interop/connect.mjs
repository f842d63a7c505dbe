// A face with a forwarder.
import { TcpTransport, UdpTransport } from "@ndn/node-transport";

export function connect(uplink) {
  const { protocol, hostname, port } = new URL(uplink);
  const transport = protocol === "udp:" ? UdpTransport : TcpTransport;
  return transport.createFace({}, hostname, Number(port));
}
