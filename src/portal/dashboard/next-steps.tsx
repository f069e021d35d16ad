import { serviceUrl } from "../../api/documents/format.js";
import { textsOf } from "../../texts/index.js";
import { SocForm } from "./override-forms.js";
import type { PartProps } from "./view.js";
import { missing } from "./view.js";

/** Setup steps with text to copy while there is no plan; empty with a plan. */
export function NextSteps({ house, format }: PartProps) {
  const texts = textsOf(format.language).dashboard.steps;
  const waitsFor = missing(house);
  if (waitsFor === undefined) return null;
  return (
    <section class="card">
      <h2>{texts.title}</h2>
      {waitsFor === "battery" && (
        <>
          <p>{texts.noBattery}</p>
          <p>
            <a class="button" href="/settings/ems/battery">
              {texts.toBattery}
            </a>
          </p>
        </>
      )}
      <p>
        <a href="/start">{textsOf(format.language).start.link}</a>
      </p>
      {waitsFor === "prices" && <p>{texts.noPrices}</p>}
      {waitsFor === "soc" && (
        <>
          <p>{texts.noSoc}</p>
          <SocForm house={house} format={format} />
          <p>{texts.byHttp}</p>
          <pre>
            <code>{curlExample(house.baseUrl)}</code>
          </pre>
          <p>{texts.byMqtt}</p>
          <pre>
            <code>{mqttExample(house.baseUrl, house.socTopic)}</code>
          </pre>
          <p>
            <a href="/settings/ems/telemetry">{texts.toTopics}</a>
          </p>
          <p>
            <a href="/openapi.json">{texts.reference}</a>
          </p>
        </>
      )}
    </section>
  );
}

function curlExample(baseUrl: string): string {
  const url = serviceUrl(baseUrl, "/v1/plant/telemetry");
  return `curl ${url} \\\n  -H "X-API-Key: $KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '{ "soc_pct": 55 }'`;
}

function mqttExample(baseUrl: string, topic: string): string {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : "localhost";
  return `mosquitto_pub -h ${host} -u any -P "$KEY" \\\n  -t ${topic} -m 55`;
}
