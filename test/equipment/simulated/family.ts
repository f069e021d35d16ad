import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Home } from "./home.js";
import { type Framing, ModbusServer } from "./modbus-server.js";
import { type Row, registersOf } from "./registers.js";

/** A reading as hourgate must give it; null: unknown. */
export type Expected = Readonly<Record<string, number | boolean | null>>;

/** A simulated device that runs. */
export interface Running {
  /** Parameters with which its template finds it. */
  with: Record<string, unknown>;
  modbus?: ModbusServer;
  stop(): Promise<void>;
}

/** A device family: what it shows of a home, and what must be read of it. */
export interface Family {
  template: string;
  /** The variant, in words. */
  title: string;
  start(home: () => Home): Promise<Running>;
  expected(home: Home): Expected;
}

const kilo = (value: number | null) => (value === null ? null : value / 1000);

/** All readings of a home as hourgate must give them. */
export function readingsOf(home: Home) {
  return {
    grid_power_kw: kilo(home.gridW),
    import_kwh: kilo(home.importWh),
    export_kwh: kilo(home.exportWh),
    pv_power_kw: kilo(home.pvW),
    pv_kwh: kilo(home.pvWh),
    soc_pct: home.socPct,
    battery_power_kw: kilo(home.batteryW),
    charge_kwh: kilo(home.chargeWh),
    discharge_kwh: kilo(home.dischargeWh),
    load_power_kw: kilo(home.loadW),
  };
}

export type ReadingName = keyof ReturnType<typeof readingsOf>;

/** These readings of a home, and others. */
export function only(names: readonly ReadingName[], others: (home: Home) => Expected = () => ({})) {
  return (home: Home): Expected => {
    const all = readingsOf(home);
    return { ...Object.fromEntries(names.map((name) => [name, all[name]])), ...others(home) };
  };
}

/** The readings of a wallbox. */
export function wallbox(home: Home): Expected {
  return { power_kw: kilo(home.carW ?? 0), energy_kwh: kilo(home.carWh), connected: home.carW !== null };
}

/** What a unit of a Modbus device holds: rows read with function 3, and with function 4. */
export interface UnitTable {
  holding?: readonly Row[];
  input?: readonly Row[];
}

interface ModbusFamily extends Omit<Family, "start"> {
  /** By unit id. */
  units(home: Home): Readonly<Record<number, UnitTable>>;
  framing?: Framing;
  with?: Record<string, unknown>;
}

/** A device that is read over Modbus. Its registers are computed at each request. */
export function modbusFamily({ units, framing = "tcp", with: parameters, ...family }: ModbusFamily): Family {
  return {
    ...family,
    start: async (home) => {
      const server = await new ModbusServer((id) => {
        const table = units(home())[id];
        return (
          table && {
            ...(table.holding && { holding: registersOf(table.holding) }),
            ...(table.input && { input: registersOf(table.input) }),
          }
        );
      }, framing).start();
      return {
        with: { host: "127.0.0.1", port: server.port, ...parameters },
        modbus: server,
        stop: () => server.stop(),
      };
    },
  };
}

/** The answers of an HTTP device by path; the request is given with its body. Undefined: 404. Text is sent as it is. */
export type Routes = Readonly<
  Record<string, (request: { url: URL; body: string; request: IncomingMessage }) => unknown>
>;

interface HttpFamily extends Omit<Family, "start"> {
  routes(home: Home): Routes;
  /** Parameters, from the address with port. */
  with?(address: string): Record<string, unknown>;
}

/** A device that is read over HTTP. */
export function httpFamily({ routes, with: parameters, ...family }: HttpFamily): Family {
  return {
    ...family,
    start: async (home) => {
      const server = createServer(async (request, response) => {
        let body = "";
        for await (const chunk of request) body += chunk;
        const url = new URL(request.url!, "http://device");
        const table = routes(home());
        const answer = (table[url.pathname + url.search] ?? table[decodeURIComponent(url.pathname)])?.({
          url,
          body,
          request,
        });
        if (answer === undefined) response.writeHead(404).end("not found");
        else if (typeof answer === "number") response.writeHead(answer).end();
        else if (typeof answer === "string")
          response.writeHead(200, { "content-type": "text/plain" }).end(answer);
        else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
      return {
        with: parameters?.(address) ?? { host: address },
        stop: async () => {
          server.closeAllConnections();
          await new Promise((resolve) => server.close(resolve));
        },
      };
    },
  };
}
