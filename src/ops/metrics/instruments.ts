import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** From answers served from memory to answers to slow clients. */
const REQUEST_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
/** A plan takes milliseconds; the last buckets are for small boards with many plants. */
const SOLVE_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** All metrics, in a separate registry; docs/operations.md lists it. */
export function createInstruments() {
  const registry = new Registry();
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name: `hourgate_${name}`, help, labelNames, registers });
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name: `hourgate_${name}`, help, labelNames, registers });
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    info: gauge("info", "Always 1; the labels hold the versions.", ["version", "node"]),
    ready: gauge("ready", "1 once a forecast is available, else 0."),
    component: gauge("component_state", "State of a component: 0 ok, 1 degraded, 2 down.", ["component"]),
    requests: counter("http_requests_total", "HTTP requests answered.", ["method", "route", "status"]),
    requestSeconds: new Histogram({
      name: "hourgate_http_request_duration_seconds",
      help: "Time from a request to the end of its answer.",
      labelNames: ["route"],
      buckets: REQUEST_BUCKETS_S,
      registers,
    }),
    forecastRuns: counter("forecast_runs_total", "Forecast runs.", ["trigger"]),
    forecastAge: gauge("forecast_age_seconds", "Age of the current forecast run."),
    priceHorizon: gauge(
      "price_horizon_hours",
      "Hours of published prices without a gap from the current hour.",
    ),
    plans: counter("plans_total", "Plans computed; material: whether controllers have to react.", [
      "site",
      "material",
    ]),
    planAge: gauge("plan_age_seconds", "Age of the current plan.", ["site"]),
    solveSeconds: new Histogram({
      name: "hourgate_plan_solve_seconds",
      help: "Time to solve a plan.",
      buckets: SOLVE_BUCKETS_S,
      registers,
    }),
    socAge: gauge("soc_age_seconds", "Age of the last state of charge.", ["site"]),
    savings: gauge("savings_eur", "Saved against the uncontrolled home: today so far, and this month.", [
      "site",
      "period",
    ]),
    actuatorWrites: counter("actuator_writes_total", "Commands to devices, repetitions not counted.", [
      "site",
      "actuator",
    ]),
    actuatorFailures: counter("actuator_failures_total", "Commands to devices that failed.", [
      "site",
      "actuator",
    ]),
    actuatorConfirmed: gauge(
      "actuator_confirmed",
      "1 while the device shows the planned state, otherwise 0.",
      ["site", "actuator"],
    ),
    deviceReads: counter("device_reads_total", "Readings of devices.", ["site", "device"]),
    deviceFailures: counter("device_read_failures_total", "Readings of devices that gave no value.", [
      "site",
      "device",
    ]),
    deviceImplausible: counter("device_implausible_total", "Values of devices that were not possible.", [
      "site",
      "device",
    ]),
    deviceSeconds: gauge("device_read_seconds", "Duration of the last reading of a device.", [
      "site",
      "device",
    ]),
    deviceBytes: gauge("device_read_bytes", "Bytes of the last reading of a device.", ["site", "device"]),
    samples: counter("telemetry_samples_total", "Telemetry samples stored.", ["site"]),
    leftOut: gauge("telemetry_left_out_readings", "Impossible readings that were not used since the start.", [
      "site",
    ]),
    deliveries: counter("webhook_deliveries_total", "Webhook deliveries; outcome: delivered or the error.", [
      "site",
      "outcome",
    ]),
    mqtt: {
      used: gauge("mqtt_used", "What MQTT clients use of a resource of the broker.", ["resource"]),
      limit: gauge("mqtt_limit", "Limit of a resource of the broker.", ["resource"]),
      refused: gauge("mqtt_refused", "Requests refused since the start because of a limit.", ["resource"]),
    },
    http: {
      used: gauge("http_used", "What HTTP clients use of a resource of the server.", ["resource"]),
      limit: gauge("http_limit", "Limit of a resource of the HTTP server.", ["resource"]),
      refused: gauge("http_refused", "Connections refused since the start because of a limit.", ["resource"]),
    },
    diskFree: gauge("data_free_bytes", "Free space on the disk of the data folder."),
  };
}

export type Instruments = ReturnType<typeof createInstruments>;
