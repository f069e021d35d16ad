import { type AddressInfo, createServer } from "node:net";
import { Aedes } from "aedes";

/** A plain broker for the bench; prints its port. */
const broker = await Aedes.createBroker();
const server = createServer({ noDelay: true }, broker.handle);
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
