import type { english } from "../en/index.js";
import { germanActuators } from "./actuators.js";
import { germanBill } from "./bill.js";
import { germanCar } from "./car.js";
import { germanActuatorFaultTexts, germanComponentNames, germanComponentSentences } from "./components.js";
import { germanConfig } from "./config.js";
import { germanConnect } from "./connect.js";
import { germanLoxone } from "./controllers.js";
import { germanDashboard } from "./dashboard.js";
import { germanDevicePages } from "./device-pages.js";
import { germanDeviceStates } from "./device-states.js";
import { germanDoctor } from "./doctor.js";
import { germanEms } from "./ems.js";
import { germanFields } from "./fields.js";
import { germanHelp } from "./help.js";
import { germanHistory } from "./history.js";
import { germanHome } from "./home.js";
import { germanHomeAssistant } from "./home-assistant.js";
import { germanHousehold } from "./household.js";
import {
  germanFleet,
  germanFormat,
  germanMails,
  germanNodeRed,
  germanPvDay,
  germanReasons,
  germanWeather,
} from "./messages.js";
import { germanMeter } from "./meter.js";
import { germanMeterPage } from "./meter-page.js";
import { germanNotifications } from "./notifications.js";
import { germanPlanFields } from "./plan-fields.js";
import { germanPlausibility } from "./plausibility.js";
import { germanPortal } from "./portal.js";
import { germanSavings } from "./savings.js";
import { germanSecurity } from "./security.js";
import { germanSettings } from "./settings.js";
import { germanStart } from "./start.js";
import { germanWhatIf } from "./what-if.js";
import { germanWhy } from "./why.js";

export const german: typeof english = {
  portal: { ...germanPortal, ...germanSettings },
  dashboard: germanDashboard,
  config: germanConfig,
  connect: germanConnect,
  ems: { ...germanEms, ...germanFields },
  components: {
    names: germanComponentNames,
    sentences: germanComponentSentences,
    actuatorFaults: germanActuatorFaultTexts,
    deviceStates: germanDeviceStates,
  },
  security: germanSecurity,
  mails: germanMails,
  doctor: germanDoctor,
  plausibility: germanPlausibility,
  start: germanStart,
  meter: germanMeter,
  meterPage: germanMeterPage,
  actuators: germanActuators,
  devicePages: germanDevicePages,
  bill: germanBill,
  whatIf: germanWhatIf,
  why: germanWhy,
  savings: germanSavings,
  history: germanHistory,
  help: germanHelp,
  home: germanHome,
  car: germanCar,
  household: germanHousehold,
  notifications: germanNotifications,
  nodeRed: germanNodeRed,
  fleet: germanFleet,
  weather: germanWeather,
  reasons: germanReasons,
  pvDay: germanPvDay,
  format: germanFormat,
  loxone: germanLoxone,
  homeAssistant: germanHomeAssistant,
  planFields: germanPlanFields,
};
