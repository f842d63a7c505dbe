// Serves a file as NDNts does: node put.mjs UPLINK PREFIX FILE
import { enableNfdPrefixReg } from "@ndn/nfdmgmt";
import { digestSigning, Name } from "@ndn/packet";
import { Metadata, serveMetadata } from "@ndn/rdr";
import { FileChunkSource, serveVersioned } from "@ndn/segmented-object";
import { connect } from "./connect.mjs";

const [uplink, prefix, file] = process.argv.slice(2);
enableNfdPrefixReg(await connect(uplink));
const name = new Name(prefix);
const server = serveVersioned(name, new FileChunkSource(file, { chunkSize: 8000 }), {
  producerPrefix: name,
  signer: digestSigning,
});
serveMetadata(() => new Metadata(server.prefix), {
  prefix: name,
  signer: digestSigning,
  pOpts: { announcement: name },
});
console.log(`${server.prefix}`);
