import type { Language } from "../../language.js";
import { bodyOf } from "./page.js";

/** The mail to an address that registers again: only its owner learns that the account exists. */
export function alreadyRegisteredMail({ link, language }: { link: string; language: Language }) {
  if (language === "en") {
    return {
      subject: "You already have an account",
      ...bodyOf(
        language,
        [
          "Hello,",
          "somebody registered at hourgate with this address, which has an account already. Sign in here:",
        ],
        link,
        ["The account and its password are unchanged. If it was not you, there is nothing to do."],
      ),
    };
  }
  return {
    subject: "Sie haben schon ein Konto",
    ...bodyOf(
      language,
      [
        "Guten Tag,",
        "mit dieser Adresse hat sich jemand bei hourgate registriert; sie hat schon ein Konto. Hier melden Sie sich an:",
      ],
      link,
      ["Konto und Passwort sind unverändert. Waren Sie es nicht, müssen Sie nichts tun."],
    ),
  };
}
