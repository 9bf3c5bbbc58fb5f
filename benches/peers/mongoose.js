// The worker of mongoose: for each line of a task on standard input it does that once, and answers how much it has handled.
const mongoose = require("mongoose");
const readline = require("readline");

const { Schema } = mongoose;
const { ObjectId } = Schema.Types;
const [uri, dbName, host, last] = process.argv.slice(2);

const Part = mongoose.model("Part", new Schema({
  name: String, sku: String, cost: Number, qty: Number, weight: Number, active: Boolean, vendor: String, note: String,
}, { collection: "parts" }));
const Product = mongoose.model("Product", new Schema({
  name: String, shelf: Number, parts: [{ type: ObjectId, ref: "Part" }],
}, { collection: "products" }));
const LogMsg = mongoose.model("LogMsg", new Schema({
  time: Date, message: String, host: ObjectId, level: String, source: String, code: Number,
}, { collection: "logmsg" }));

const references = (products) => products.reduce((sum, product) => sum + product.parts.length, 0);
const joined = () => Product.find({ shelf: 1 }).populate("parts");
const logs = () => LogMsg.find({ host }).sort({ time: -1, _id: -1 }).limit(Number(last));
const tasks = {
  join: async () => references(await joined()),
  join_lean: async () => references(await joined().lean()),
  logs: async () => (await logs()).length,
  logs_lean: async () => (await logs().lean()).length,
};

async function main() {
  await mongoose.connect(uri, { dbName, autoIndex: false });
  console.log(`ready: mongoose ${mongoose.version} (driver ${require("mongodb/package.json").version}, node ${process.versions.node})`);
  for await (const task of readline.createInterface({ input: process.stdin })) {
    console.log(await tasks[task]());
  }
  await mongoose.disconnect();
}

main();
