// What battery and wallbox do during a cell of cells.mjs, and what the gateway says about them.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const mqtt = createRequire(path.resolve("package.json"))("mqtt");
const SAMPLE_MS = 250;
/** After a crash of the broker its values are gone, and evcc publishes them on a change only. */
const ACCEPTED = / confirms | was accepted /;
const WALLBOX = /^on 1[56] A$/;

/** Longest uninterrupted time in which something was so. */
class Longest {
  ms = 0;
  #since;

  add(isSo, nowMs) {
    if (!isSo) this.#since = undefined;
    else {
      this.#since ??= nowMs;
      this.ms = Math.max(this.ms, nowMs - this.#since);
    }
  }

  get s() {
    return Math.round(this.ms / 100) / 10;
  }
}

export class Watch {
  #trial;
  #before;
  #after;
  #timeline;
  #name;
  #client;
  #timer;
  #last = "";
  #home = {};
  #said = {};
  #following = "";
  #beginMs;
  /** When all sides answer again. */
  #upMs;
  #isBack = false;
  #notRightMs = {};
  #longest = {};
  #seen = [];

  constructor({ trial, before, after, timeline, name }) {
    this.#trial = trial;
    this.#before = before;
    this.#after = after;
    this.#timeline = timeline;
    this.#name = name;
  }

  async start() {
    this.#client = mqtt.connect(this.#trial.broker, { reconnectPeriod: 500 });
    this.#client.on("error", () => {});
    this.#client.on("connect", () => this.#client.subscribe("hourgate/home/following"));
    this.#client.on("message", (_topic, payload) => {
      this.#following = payload.toString();
    });
    this.#run();
  }

  stop() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#client.end(true);
  }

  /** The side is going away. */
  begin() {
    this.#beginMs = Date.now();
    for (const key of ["battery", "wallbox"])
      this.#longest[key] = { wrong: new Longest(), other: new Longest(), false: new Longest() };
    this.#longest.followed = new Longest();
  }

  /** The side has been started again. */
  back() {
    this.#isBack = true;
    this.#note("started again");
  }

  get isUp() {
    return this.#upMs !== undefined;
  }

  get now() {
    return JSON.stringify({ ...this.#home, said: this.#said, following: this.#following });
  }

  async untilRight(ms) {
    for (const end = Date.now() + ms; Date.now() < end; ) {
      if (
        this.#home.battery === this.#before &&
        WALLBOX.test(this.#home.wallbox) &&
        ACCEPTED.test(this.#said.battery) &&
        ACCEPTED.test(this.#said.wallbox)
      )
        return true;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    return false;
  }

  result() {
    const of = (key) => ({
      wrongS: this.#longest[key].wrong.s,
      otherS: this.#longest[key].other.s,
      falseS: this.#longest[key].false.s,
      rightAfterS:
        this.#notRightMs[key] === undefined
          ? 0
          : Math.max(0, Math.round((this.#notRightMs[key] - this.#upMs) / 100) / 10),
    });
    return {
      battery: of("battery"),
      wallbox: of("wallbox"),
      followedFalseS: this.#longest.followed.s,
      ended: { ...this.#home, said: this.#said, following: this.#following },
      seen: this.#seen,
    };
  }

  /** A row of a Markdown table: wrong / not as planned / planned again after / confirmed wrongly, each of battery and wallbox; followed wrongly. */
  row() {
    const { battery, wallbox, followedFalseS, ended } = this.result();
    const text = (one) => `${one.wrongS} / ${one.otherS} / ${one.rightAfterS} / ${one.falseS}`;
    return `| ${this.#name} | ${text(battery)} | ${text(wallbox)} | ${followedFalseS} | ${ended.battery}, ${ended.wallbox}; ${ended.said.battery} ${ended.following} |`;
  }

  async #run() {
    const startMs = Date.now();
    const home = await this.#trial.home().catch(() => ({}));
    const said = await this.#trial.said().catch(() => ({ battery: "-", wallbox: "-" }));
    if (this.#timer === null) return;
    this.#home = home;
    this.#said = said;
    this.#sample(Date.now());
    if (this.#isBack && this.#upMs === undefined && (await this.#trial.isUp().catch(() => false))) {
      this.#upMs = Date.now();
      this.#note("all sides answer");
    }
    this.#timer = setTimeout(() => void this.#run(), Math.max(0, SAMPLE_MS - (Date.now() - startMs)));
  }

  #sample(nowMs) {
    const { battery, wallbox } = this.#home;
    const words = [
      battery,
      wallbox,
      `"${this.#said.battery}"`,
      `"${this.#said.wallbox}"`,
      this.#following,
    ].join(" | ");
    if (words !== this.#last) this.#note(words);
    this.#last = words;
    if (this.#beginMs === undefined || battery === undefined) return;
    const confirmed = (text) => / confirms (\w+)/.exec(text)?.[1];
    const isBatteryRight = battery === this.#after;
    // Safe: the battery supplies the home by itself, the vehicle is not charged.
    this.#longest.battery.wrong.add(!isBatteryRight && battery !== "free", nowMs);
    this.#longest.battery.other.add(!isBatteryRight, nowMs);
    const told = confirmed(this.#said.battery);
    this.#longest.battery.false.add(told !== undefined && told !== battery, nowMs);
    const isWallboxRight = WALLBOX.test(wallbox);
    this.#longest.wallbox.wrong.add(!isWallboxRight && wallbox !== "off", nowMs);
    this.#longest.wallbox.other.add(!isWallboxRight, nowMs);
    const toldWallbox = confirmed(this.#said.wallbox);
    this.#longest.wallbox.false.add(
      toldWallbox !== undefined && (toldWallbox === "on") !== isWallboxRight,
      nowMs,
    );
    // What was said last before the gateway or the broker went away says nothing.
    const isFollowing = this.#following === "yes" && this.#said.battery !== "-" && this.#client.connected;
    this.#longest.followed.add(isFollowing && !isBatteryRight, nowMs);
    if (!isBatteryRight) this.#notRightMs.battery = nowMs;
    if (!isWallboxRight) this.#notRightMs.wallbox = nowMs;
  }

  #note(words) {
    if (this.#beginMs !== undefined)
      this.#seen.push(`${Math.round((Date.now() - this.#beginMs) / 100) / 10} s: ${words}`);
    fs.appendFileSync(this.#timeline, `${new Date().toISOString()} ${this.#name}: ${words}\n`);
  }
}
