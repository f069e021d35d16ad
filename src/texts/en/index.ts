import { englishActuators } from "./actuators.js";
import { englishBill } from "./bill.js";
import { englishCar } from "./car.js";
import { actuatorFaultTexts, englishComponentNames, englishComponentSentences } from "./components.js";
import { englishConfig } from "./config.js";
import { englishConnect } from "./connect.js";
import { englishLoxone } from "./controllers.js";
import { englishDashboard } from "./dashboard.js";
import { englishDevicePages } from "./device-pages.js";
import { englishDeviceStates } from "./device-states.js";
import { englishDoctor } from "./doctor.js";
import { englishEms } from "./ems.js";
import { englishFields } from "./fields.js";
import { englishHelp } from "./help.js";
import { englishHistory } from "./history.js";
import { englishHome } from "./home.js";
import { englishHomeAssistant } from "./home-assistant.js";
import { englishHousehold } from "./household.js";
import {
  englishFleet,
  englishFormat,
  englishMails,
  englishNodeRed,
  englishPvDay,
  englishReasons,
  englishWeather,
} from "./messages.js";
import { englishMeter } from "./meter.js";
import { englishMeterPage } from "./meter-page.js";
import { englishNotifications } from "./notifications.js";
import { englishPlanFields } from "./plan-fields.js";
import { englishPlausibility } from "./plausibility.js";
import { englishPortal } from "./portal.js";
import { englishSavings } from "./savings.js";
import { englishSecurity } from "./security.js";
import { englishSettings } from "./settings.js";
import { englishStart } from "./start.js";
import { englishWhatIf } from "./what-if.js";
import { englishWhy } from "./why.js";

export const english = {
  portal: { ...englishPortal, ...englishSettings },
  dashboard: englishDashboard,
  config: englishConfig,
  connect: englishConnect,
  ems: { ...englishEms, ...englishFields },
  components: {
    names: englishComponentNames,
    sentences: englishComponentSentences,
    actuatorFaults: actuatorFaultTexts,
    deviceStates: englishDeviceStates,
  },
  security: englishSecurity,
  mails: englishMails,
  doctor: englishDoctor,
  plausibility: englishPlausibility,
  start: englishStart,
  meter: englishMeter,
  meterPage: englishMeterPage,
  actuators: englishActuators,
  devicePages: englishDevicePages,
  bill: englishBill,
  whatIf: englishWhatIf,
  why: englishWhy,
  savings: englishSavings,
  history: englishHistory,
  help: englishHelp,
  home: englishHome,
  car: englishCar,
  household: englishHousehold,
  notifications: englishNotifications,
  nodeRed: englishNodeRed,
  fleet: englishFleet,
  weather: englishWeather,
  reasons: englishReasons,
  pvDay: englishPvDay,
  format: englishFormat,
  loxone: englishLoxone,
  homeAssistant: englishHomeAssistant,
  planFields: englishPlanFields,
};
