// Print the numbers of the first results of queries: node search.js ENGINE INDEX < QUERIES (a list in JSON).
const fs = require("fs");
const [engine, index] = process.argv.slice(2);
let answer;
globalThis.self = { postMessage: (message) => answer(message) };
const send = (data) => new Promise((done) => { answer = done; self.onmessage({ data }); });

(async () => {
  (0, eval)(fs.readFileSync(engine, "utf8"));
  await send({ type: 0, data: JSON.parse(fs.readFileSync(index)) });
  const found = [];
  for (const input of JSON.parse(fs.readFileSync(0))) {
    const { data } = await send({ type: 2, data: { input } });
    found.push(data.items.length ? data.items[0].id : -1);
  }
  console.log(JSON.stringify(found));
})();
