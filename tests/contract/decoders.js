// The page's side of test_decoders.py: what is sent at first, with another decoder, and with the first one again.
import { readFileSync } from "node:fs";
import { DecoderValues } from "../../assets/stage/decoder_values.js";
import { recordOf } from "../../assets/wire/request.js";

const page = JSON.parse(readFileSync(process.argv[2], "utf8"));
const [model] = page.models;
const sent = {};
for (const name of Object.keys(page.decoders)) {
  const decoders = new DecoderValues();
  decoders.table = page.decoders;
  decoders.authors = { model, ...page.own };
  const begin = { ...recordOf(page.names, page.values), ...page.set };
  const there = decoders.choose(begin.preset, { ...begin, preset: name }, model);
  const back = decoders.choose(name, { ...there, preset: begin.preset }, model);
  const request = (values) => decoders.request(values, page.models, "id", "autoregressive");
  const onward = {};
  for (const other of Object.keys(page.decoders)) {
    const values = decoders.choose(name, { ...there, preset: other }, model);
    if (other !== name) onward[other] = decoders.tunes(there, values, model)[0];
    decoders.choose(other, { ...values, preset: name }, model);
  }
  sent[name] = { first: request(begin), there: request(there), back: request(back), tunes: decoders.tunes(begin, there, model), onward };
}
console.log(JSON.stringify(sent));
