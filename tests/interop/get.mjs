// Fetches a file as NDNts does: node get.mjs UPLINK PREFIX FILE
import { writeFile } from "node:fs/promises";
import { digestSigning, Name } from "@ndn/packet";
import { retrieveMetadata } from "@ndn/rdr";
import { fetch } from "@ndn/segmented-object";
import { connect } from "./connect.mjs";

const [uplink, prefix, file] = process.argv.slice(2);
const face = await connect(uplink);
const verifier = digestSigning;
const metadata = await retrieveMetadata(new Name(prefix), { retx: 3, verifier });
await writeFile(file, await fetch(metadata.name, { verifier }));
console.log(`${metadata.name}`);
face.close();
