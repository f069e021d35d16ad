/** Navigation, forms, error pages, registration and sign-in of the portal. */
export const englishPortal = {
  frame: {
    skip: "Skip to the content",
    menu: "Pages",
    dashboard: "Dashboard",
    ems: "EMS settings",
    keys: "API keys",
    plan: "Plan",
    webhook: "Webhook",
    sites: "Sites",
    admin: "Administration",
    login: "Sign in",
    register: "Register",
    logout: "Sign out",
    language: "Language",
    site: "Site",
    showSite: "Show",
  },
  form: {
    refused: "Please check your input:",
    required: "This field must be filled in.",
    unknown: "Choose one of the values in the list.",
  },
  error: {
    home: "To the start page",
    400: {
      title: "Invalid request",
      text: "Go back, reload the page and send the form again.",
    },
    403: {
      title: "This form is no longer valid",
      text: "It was not sent from this page, or the page was open for too long. Nothing was changed. Go back, reload the page and send the form again.",
    },
    forbidden: {
      title: "Only for administrators",
      text: "Sign in with an administrator account to see this page.",
    },
    404: { title: "Page not found", text: "Check the address, or go to the start page." },
    405: { title: "Method not allowed", text: "Open the page and use its form." },
    413: { title: "The form is too large", text: "Send less than 100 kB at once." },
    415: {
      title: "Unsupported form type",
      text: "Send the form as application/x-www-form-urlencoded.",
    },
    429: {
      title: "Too many attempts",
      text: (minutes: number) =>
        `Wait ${minutes === 1 ? "one minute" : `${minutes} minutes`}, then try again.`,
    },
    500: { title: "Something went wrong", text: "Try again. Details are in the log of the gateway." },
    503: {
      title: "The data cannot be saved",
      text: "Nothing was changed. Details are in the log of the gateway.",
    },
  },
  account: {
    email: "E-mail",
    password: "Password",
    passwordHint: "At least 10 characters.",
  },
  register: {
    title: "Register",
    intro:
      "With an account you get the forecast for 168 hours, the decisions and the plan for your battery. It is free of charge.",
    submit: "Register",
    haveAccount: "Already registered?",
    sentTitle: "Check your mailbox",
    sent: "We have sent a message to your address. Open the link in it to confirm the account; the link is valid for 24 hours.",
    savedTitle: "Registration saved",
    saved: (contact: string) =>
      `This gateway has no mail server. Ask the operator (${contact}) for the confirmation link; it is valid for 24 hours.`,
    sentNothing: "No message? Check the spam folder, or register again.",
  },
  confirm: {
    failedTitle: "This link is not valid",
    failed: "It was already used, has expired, or is incomplete.",
    signIn: "If you have already confirmed the account, sign in.",
    again: "Register again to get a new link.",
  },
  login: {
    title: "Sign in",
    submit: "Sign in",
    wrong: "E-mail or password is incorrect.",
    noAccount: "No account yet?",
  },
  logout: {
    title: "Sign out",
    question: "Do you want to sign out in this browser?",
    submit: "Sign out",
  },
  site: {
    none: "Your account has no site yet. Add one first.",
    add: "Add a site",
  },
  inputError: {
    invalid_email: "Enter an e-mail address, such as anna@example.com.",
    password_too_short: "The password must have at least 10 characters.",
    password_too_long: "The password can have at most 200 characters.",
    wrong_password: "The current password is incorrect.",
    trial_used: "The trial can be started only once per account.",
    unknown_account: "This account does not exist.",
    account_exists: "An account with this e-mail already exists.",
    trial_not_needed: "This account already has the full version.",
    until_past: "Enter a date of today or later, or nothing.",
    no_paid_plan: "This account has no paid plan.",
    unknown_site: "This site no longer exists; reload the page.",
    unknown_key: "This key does not exist or is revoked; reload the page.",
    ambiguous_key: "Several keys begin with these characters; enter more of them.",
    unknown_link: "This link no longer exists; reload the page.",
    invalid_filter:
      "The filter must be an MQTT topic; + stands for one level, a last # for all levels below.",
    too_many_filters: "The site already has 100 approved filters.",
    unknown_filter: "This filter is not approved.",
    invalid_limit: "Enter a whole number of calls, 1 or more, or nothing.",
    invalid_label: "One line of at most 80 characters.",
  },
};
