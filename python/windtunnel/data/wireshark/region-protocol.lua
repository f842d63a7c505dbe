-- Wireshark's view of the region protocol: its header in three encodings, its service options
-- and typed addresses, its errors, and what its routers tell each other.
--
--   tshark -X lua_script:region-protocol.lua -r capture.pcapng

local ETHER_TYPE = 0x88b5
local IN_IP = 254 -- in an IP packet: a packet of the region protocol in a tunnel

local IPV4, IPV6, ETHERNET, NDN, CONTROL, TYPED_ADDRESSES = 4, 41, 143, 252, 253, 254
local COMPACT, FLOW, IPV4_SHAPED = 1, 2, 4
local ERROR_SIZE = 8

local region = Proto("region", "Region Protocol")

local encodings = { [COMPACT] = "compact", [FLOW] = "flow", [IPV4_SHAPED] = "ipv4-shaped" }
local protocols = {
  [IPV4] = "IPv4",
  [IPV6] = "IPv6",
  [ETHERNET] = "Ethernet",
  [NDN] = "NDN",
  [CONTROL] = "Control",
  [TYPED_ADDRESSES] = "Typed addresses",
}
local ecn_names = { [0] = "Not-ECT", [1] = "ECT(1)", [2] = "ECT(0)", [3] = "CE" }
local types = {
  [1] = "Unreachable",
  [2] = "Too big",
  [3] = "Hop limit exceeded",
  [4] = "Bad header",
  [16] = "Session",
  [128] = "Echo request",
  [129] = "Echo reply",
}
local unreachable_codes = {
  [0] = "unknown region",
  [1] = "no agreement",
  [2] = "unknown sub-region",
  [3] = "payload not accepted",
  [4] = "unknown address",
}
local messages = { [0] = "Acknowledgement", [1] = "Record", [2] = "Update" }
local kinds = { [0] = "absent", [1] = "IPv4", [2] = "IPv6", [3] = "MAC-48", [4] = "public key" }
local services = { [1] = "path MTU", [2] = "flow", [3] = "subtype", [129] = "agreement" }

local field = {
  version = ProtoField.uint8("region.version", "Encoding", base.DEC, encodings),
  dscp = ProtoField.uint8("region.dscp", "Differentiated services code point"),
  ecn = ProtoField.uint8("region.ecn", "ECN field", base.DEC, ecn_names),
  length = ProtoField.uint16("region.length", "Total length"),
  hop_limit = ProtoField.uint8("region.hop_limit", "Hop limit"),
  protocol = ProtoField.uint8("region.protocol", "Protocol", base.DEC, protocols),
  header_length = ProtoField.uint16("region.header_length", "Header length"),
  checksum = ProtoField.uint16("region.checksum", "Header checksum", base.HEX),
  flow = ProtoField.uint24("region.flow", "Flow label", base.HEX),
  destination = ProtoField.ipv4("region.dst", "Destination code"),
  destination_region = ProtoField.uint8("region.dst.region", "Destination region"),
  source = ProtoField.ipv4("region.src", "Source code"),
  source_region = ProtoField.uint8("region.src.region", "Source region"),
  service = ProtoField.uint8("region.service", "Service option", base.DEC, services),
  service_value = ProtoField.bytes("region.service.value", "Value"),
  type = ProtoField.uint8("region.control.type", "Type", base.DEC, types),
  code = ProtoField.uint8("region.control.code", "Code"),
  unreachable = ProtoField.uint8("region.control.why", "Why", base.DEC, unreachable_codes),
  message = ProtoField.uint8("region.control.message", "Message", base.DEC, messages),
  value = ProtoField.uint32("region.control.value", "Value"),
  mtu = ProtoField.uint32("region.control.mtu", "Largest packet"),
  sequence = ProtoField.uint32("region.control.sequence", "Sequence number"),
  acknowledgement = ProtoField.uint32("region.control.acknowledgement", "Acknowledgement"),
  told = ProtoField.ipv4("region.control.told", "About code"),
  router = ProtoField.uint32("region.control.router", "Router"),
  path = ProtoField.string("region.control.path", "Regions on the way"),
  neighbour = ProtoField.uint32("region.control.neighbour", "Neighbour"),
  linked = ProtoField.uint8("region.control.linked", "Linked region"),
  metric = ProtoField.uint32("region.control.metric", "Metric"),
  kind = ProtoField.uint8("region.address.kind", "Kind of address", base.DEC, kinds),
  address = ProtoField.bytes("region.address", "Address"),
}
for _, it in pairs(field) do
  table.insert(region.fields, it)
end
local malformed = ProtoExpert.new(
  "region.malformed", "Malformed packet", expert.group.MALFORMED, expert.severity.ERROR)
region.experts = { malformed }

local ip = Dissector.get("ip")
local ipv6 = Dissector.get("ipv6")
local ethernet = Dissector.get("eth_withoutfcs")
local data = Dissector.get("data")
-- Only where a dissector of NDN is installed; otherwise its packets are shown as bytes.
local has_ndn, ndn = pcall(Dissector.get, "ndn")
ndn = has_ndn and ndn or nil

-- Whether there are so many bytes; if not, the tree says so.
local function has(tree, buffer, length)
  if buffer:len() >= length then
    return true
  end
  tree:add_proto_expert_info(malformed, "it ends too early")
  return false
end

local function codes(tree, buffer, source, destination)
  tree:add(field.source, buffer(source, 4))
  tree:add(field.source_region, buffer(source, 1))
  tree:add(field.destination, buffer(destination, 4))
  tree:add(field.destination_region, buffer(destination, 1))
end

-- Service options from one place to another.
local function service(tree, buffer, from, to)
  local place = from
  while place + 2 <= to and buffer(place, 1):uint() ~= 0 do
    local length = buffer(place + 1, 1):uint()
    if place + 2 + length > to then
      tree:add_proto_expert_info(malformed, "a service option is longer than its room")
      return
    end
    local option = tree:add(field.service, buffer(place, 1))
    if length > 0 then
      option:add(field.service_value, buffer(place + 2, length))
    end
    place = place + math.ceil((2 + length) / 4) * 4
  end
end

-- The regions on a way, in order.
local function path(tree, buffer, place, count)
  if not has(tree, buffer, place + count) then
    return
  end
  local regions = {}
  for i = 0, count - 1 do
    regions[#regions + 1] = tostring(buffer(place + i, 1):uint())
  end
  local text = count == 0 and "none: withdrawn" or table.concat(regions, " ")
  if count == 0 then
    tree:add(field.path, text)
  else
    tree:add(field.path, buffer(place, count), text)
  end
end

-- The links of a border to other regions.
local function border(tree, buffer, count)
  if not has(tree, buffer, 16 + 4 * count) then
    return "malformed"
  end
  tree:add(field.told, buffer(12, 4))
  for i = 0, count - 1 do
    tree:add(field.linked, buffer(16 + 4 * i, 1))
  end
  return "links of a border"
end

local function record(tree, buffer)
  if not has(tree, buffer, 16) then
    return "malformed"
  end
  local count = buffer(2, 2):uint()
  tree:add(field.router, buffer(4, 4))
  tree:add(field.sequence, buffer(8, 4))
  if buffer(0, 1):uint() == 2 then
    tree:add(field.told, buffer(12, 4))
    path(tree, buffer, 18, count)
    return "reaches a region"
  end
  if buffer(0, 1):uint() == 3 then
    return border(tree, buffer, count)
  end
  if not has(tree, buffer, 16 + 8 * count) then
    return "malformed"
  end
  for i = 0, count - 1 do
    local neighbour = tree:add(field.neighbour, buffer(16 + 8 * i, 4))
    neighbour:add(field.metric, buffer(20 + 8 * i, 4))
  end
  return "links of a router"
end


local function control(tree, buffer, pinfo, top)
  if not has(tree, buffer, buffer(0, 1):uint() == 16 and 12 or 8) then
    return
  end
  local kind, code = buffer(0, 1):uint(), buffer(1, 1):uint()
  tree:add(field.type, buffer(0, 1))
  local text = types[kind] or "Unknown type"
  if kind == 16 then
    tree:add(field.message, buffer(1, 1))
    tree:add(field.sequence, buffer(4, 4))
    tree:add(field.acknowledgement, buffer(8, 4))
    text = messages[code] or "Unknown message"
    if code == 1 and has(tree, buffer, 13) then
      text = "Record: " .. record(tree, buffer(12))
    elseif code == 2 and has(tree, buffer, 20) then
      tree:add(field.told, buffer(12, 4))
      path(tree, buffer, 20, buffer(19, 1):uint())
    end
  else
    tree:add(kind == 1 and field.unreachable or field.code, buffer(1, 1))
    tree:add(kind == 2 and field.mtu or field.value, buffer(4, 4))
    if kind == 1 then
      text = text .. ": " .. (unreachable_codes[code] or "unknown code")
    end
    -- The quote may be cut short, so that what is in it is not looked at.
    if kind <= 4 and buffer:len() > ERROR_SIZE then
      data:call(buffer(ERROR_SIZE):tvb(), pinfo, top)
    end
  end
  pinfo.cols.info = text
end

local function addresses(tree, buffer, pinfo, top)
  if not has(tree, buffer, 8) then
    return
  end
  local lengths = { buffer(1, 1):uint(), buffer(3, 1):uint() }
  local place = 8
  for i, kind in ipairs({ 0, 2 }) do
    local address = tree:add(field.kind, buffer(kind, 1))
    if not has(tree, buffer, place + lengths[i]) then
      return
    end
    if lengths[i] > 0 then
      address:add(field.address, buffer(place, lengths[i]))
    end
    place = place + math.ceil(lengths[i] / 4) * 4
  end
  if buffer:len() > place then
    data:call(buffer(place):tvb(), pinfo, top)
  end
end

-- What a packet holds.
local function payload(tree, buffer, pinfo, top, protocol)
  if protocol == IPV4 then
    ip:call(buffer:tvb(), pinfo, top)
  elseif protocol == IPV6 then
    ipv6:call(buffer:tvb(), pinfo, top)
  elseif protocol == ETHERNET then
    ethernet:call(buffer:tvb(), pinfo, top)
  elseif protocol == NDN and ndn then
    ndn:call(buffer:tvb(), pinfo, top)
  elseif protocol == CONTROL then
    control(tree:add(region, buffer(), "Message"), buffer, pinfo, top)
  elseif protocol == TYPED_ADDRESSES then
    addresses(tree:add(region, buffer(), "Typed addresses"), buffer, pinfo, top)
  else
    data:call(buffer:tvb(), pinfo, top)
  end
end

-- The header's length, the packet's, and its protocol; none if it is wrong.
local function compact(tree, buffer)
  local length, header = buffer(2, 2):uint(), 4 * buffer(6, 1):uint()
  tree:add(field.dscp, buffer(1, 1), math.floor(buffer(1, 1):uint() / 4))
  tree:add(field.ecn, buffer(1, 1), buffer(1, 1):uint() % 4)
  tree:add(field.length, buffer(2, 2))
  tree:add(field.hop_limit, buffer(4, 1))
  tree:add(field.protocol, buffer(5, 1))
  tree:add(field.header_length, buffer(6, 1), header)
  codes(tree, buffer, 12, 8)
  if header < 16 or length < header or length > buffer:len() then
    return nil
  end
  service(tree, buffer, 16, header)
  return header, length, buffer(5, 1):uint()
end

local function ipv4_shaped(tree, buffer)
  local length, header = buffer(2, 2):uint(), 4 * (buffer(0, 1):uint() % 16)
  tree:add(field.dscp, buffer(1, 1), math.floor(buffer(1, 1):uint() / 4))
  tree:add(field.ecn, buffer(1, 1), buffer(1, 1):uint() % 4)
  tree:add(field.length, buffer(2, 2))
  tree:add(field.hop_limit, buffer(8, 1))
  tree:add(field.protocol, buffer(9, 1))
  tree:add(field.checksum, buffer(10, 2))
  codes(tree, buffer, 12, 16)
  if header < 20 or length < header or length > buffer:len() then
    return nil
  end
  service(tree, buffer, 20, header)
  return header, length, buffer(9, 1):uint()
end

local function flow(tree, buffer)
  local class = buffer(0, 2):bitfield(4, 8)
  local length, header, protocol = 16 + buffer(4, 2):uint(), 16, buffer(6, 1):uint()
  tree:add(field.dscp, buffer(0, 2), math.floor(class / 4))
  tree:add(field.ecn, buffer(0, 2), class % 4)
  tree:add(field.flow, buffer(1, 3), buffer(0, 4):bitfield(12, 20))
  tree:add(field.length, buffer(4, 2), length)
  tree:add(field.hop_limit, buffer(7, 1))
  codes(tree, buffer, 8, 12)
  if length > buffer:len() then
    return nil
  end
  if protocol == 0 then
    if length < 24 or length < 24 + 8 * buffer(17, 1):uint() then
      return nil
    end
    header, protocol = 24 + 8 * buffer(17, 1):uint(), buffer(16, 1):uint()
    service(tree, buffer, 20, header)
  end
  tree:add(field.protocol, buffer(6, 1), protocol)
  return header, length, protocol
end

local readers = { [COMPACT] = compact, [FLOW] = flow, [IPV4_SHAPED] = ipv4_shaped }
local least = { [COMPACT] = 16, [FLOW] = 16, [IPV4_SHAPED] = 20 }

function region.dissector(buffer, pinfo, top)
  pinfo.cols.protocol = "REGION"
  local tree = top:add(region, buffer())
  if buffer:len() == 0 then
    return
  end
  local version = math.floor(buffer(0, 1):uint() / 16)
  tree:add(field.version, buffer(0, 1), version)
  local read = readers[version]
  if not read or buffer:len() < least[version] then
    tree:add_proto_expert_info(malformed, "no such encoding, or too short for it")
    return
  end
  local header, length, protocol = read(tree, buffer)
  if not header then
    tree:add_proto_expert_info(malformed, "lengths contradict each other")
    return
  end
  tree:set_len(header)
  pinfo.cols.info = string.format(
    "From %s to %s", tree and tostring(buffer(version == FLOW and 8 or 12, 4):ipv4()),
    tostring(buffer(version == COMPACT and 8 or (version == FLOW and 12 or 16), 4):ipv4()))
  if length > header then
    payload(tree, buffer(header, length - header), pinfo, top, protocol)
  end
end

DissectorTable.get("ethertype"):add(ETHER_TYPE, region)
DissectorTable.get("ip.proto"):add(IN_IP, region)
