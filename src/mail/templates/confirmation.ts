import type { Language } from "../../language.js";
import { bodyOf } from "./page.js";

/** The mail whose link activates an account. */
export function confirmationMail({ link, language }: { link: string; language: Language }) {
  if (language === "en") {
    return {
      subject: "Confirm your e-mail address",
      ...bodyOf(
        language,
        ["Hello,", "somebody registered at hourgate with this address. If it was you, open this link:"],
        link,
        [
          "It is valid for 24 hours and works once.",
          "If it was not you, there is nothing to do: without this link no account comes to be.",
        ],
      ),
    };
  }
  return {
    subject: "Bestätigen Sie Ihre E-Mail-Adresse",
    ...bodyOf(
      language,
      [
        "Guten Tag,",
        "mit dieser Adresse hat sich jemand bei hourgate registriert. Waren Sie es, öffnen Sie diesen Link:",
      ],
      link,
      [
        "Er gilt 24 Stunden und ein einziges Mal.",
        "Waren Sie es nicht, müssen Sie nichts tun: Ohne diesen Link entsteht kein Konto.",
      ],
    ),
  };
}
