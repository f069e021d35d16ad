import type { Site } from "../../config/site.js";
import { textsOf } from "../../texts/index.js";
import { CONNECT_PATH } from "../connect/path.js";
import type { SignedInContext } from "../context.js";
import { ADD_PATH } from "../devices/add-page.js";
import { deviceUrl } from "../devices/labels.js";
import { DetectedDevices, type DetectedList } from "../devices/list-page.js";

/** What is known of the connections of a site. */
export interface SeenConnections {
  detected: DetectedList;
  /** Topics of other devices that carry readings of the site. */
  topics: readonly { topic: string; field: string }[];
}

/** Where each way to connect begins. */
const WAYS = {
  actuators: ADD_PATH,
  evcc: "/help/evcc",
  homeAssistant: "/help/home-assistant",
  others: CONNECT_PATH,
} as const;
type Way = keyof typeof WAYS;

interface ConnectionProps extends SeenConnections {
  context: SignedInContext;
  site: Site;
  /** The name of a template. */
  nameOf(template: string): string;
}

/** How hourgate reads and commands the devices: what is set up, what was seen on the broker, and the ways to connect. */
export function ConnectionFields({ context, site, detected, topics, nameOf }: ConnectionProps) {
  const { language } = context;
  const texts = textsOf(language).start.connection;
  const query = new URLSearchParams({ site: site.id });
  return (
    <>
      {topics.length + site.plant.actuators.length + site.plant.devices.length > 0 && (
        <>
          <h3>{texts.present}</h3>
          <ul>
            {topics.map(({ topic, field }) => (
              <li key={topic + field}>
                {`${texts.reads} `}
                <code>{topic}</code>
              </li>
            ))}
            {site.plant.devices.map((device) => (
              <li key={device.id}>
                {`${texts.reads} `}
                <a href={deviceUrl(site.id, device.id)}>{device.name ?? nameOf(device.template)}</a>
              </li>
            ))}
            {site.plant.actuators.map(({ id, template }) => (
              <li key={id}>
                {`${texts.commands} `}
                <a href={deviceUrl(site.id, id)}>{nameOf(template)}</a>
              </li>
            ))}
          </ul>
        </>
      )}
      <h3>{texts.found}</h3>
      {detected.length === 0 ? (
        <p class="hint">{texts.nothing}</p>
      ) : (
        <DetectedDevices siteId={site.id} detected={detected} language={language} />
      )}
      <h3>{texts.ways}</h3>
      <ul class="links">
        {Object.entries(WAYS).map(([way, path]) => (
          <li key={way}>
            <a href={path.startsWith("/help") ? path : `${path}?${query}`}>{texts.links[way as Way]}</a>
            <span class="hint">{texts.hints[way as Way]}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
