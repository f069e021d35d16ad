/** Navigation, forms, error pages, registration and sign-in of the portal. */
export const englishPortal = {
  frame: {
    skip: "Skip to the content",
    menu: "Pages",
    storeDown:
      "The gateway cannot store anything at the moment: its disk is full or cannot be used. Forecast and plan continue, but changes and readings are refused. Free some space on the disk; storing then resumes by itself.",
    tabs: { overview: "Overview", history: "History", devices: "Devices", more: "More" },
    areas: {
      home: "My home",
      connect: "Connect",
      help: "Help",
      developers: "Developers",
      administration: "Administration",
    },
    keys: "API keys",
    plan: "Plan",
    webhook: "Webhook",
    sites: "Sites",
    login: "Sign in",
    register: "Register",
    logout: "Sign out",
    language: "Language",
    site: "Site",
    showSite: "Show",
  },
  more: { groups: { money: "Money", home: "Home", technical: "Technical" } },
  offline: {
    title: "No connection to your home",
    text: "hourgate cannot be reached at the moment. Check that this device is in your home network, and that the gateway is switched on. Battery and devices continue without this page.",
    retry: "Try again",
  },
  form: {
    refused: "Please check what you have entered:",
    required: "This field must be filled in.",
    unknown: "Choose one of the values in the list.",
  },
  error: {
    home: "To the start page",
    400: {
      title: "This request cannot be read",
      text: "Go back, load the page again and send the form once more.",
    },
    403: {
      title: "This form is no longer valid",
      text: "It did not come from this page, or the page was open for too long. Go back, load the page again and send it once more. Nothing was changed.",
    },
    repeat: {
      title: "Not saved yet",
      text: "The page was open for too long. What you entered is kept: send it again.",
      signedOut:
        "You are no longer signed in. What you entered is kept: sign in in a new window, then send it again from here.",
      signIn: "Sign in in a new window",
      send: "Send again",
    },
    forbidden: {
      title: "Only for administrators",
      text: "Sign in with an administrator's account to see this page.",
    },
    404: { title: "There is no such page", text: "Check the address, or go to the start page." },
    405: { title: "This page does not accept this request", text: "Open the page and use its form." },
    413: { title: "The form is too large", text: "Send at most 2,000 fields and 100 kB at once." },
    upload: {
      title: "The files are too large",
      text: "Nothing was stored. At most 40 MB can be uploaded at once: upload fewer files, or export a shorter period.",
    },
    uploading: {
      title: "Another upload is in progress",
      text: "Your account is uploading files already. Wait until they are here, then try again.",
    },
    busy: {
      title: "Too many uploads at once",
      text: "Nothing was stored. Try again in a few minutes.",
    },
    slow: {
      title: "The upload was too slow",
      text: "Nothing was stored. Less than 50 kB arrived in a second: try again with a better connection, or with fewer files.",
    },
    415: {
      title: "This type of form is not accepted",
      text: "Send it as application/x-www-form-urlencoded, as the pages of the portal do.",
    },
    429: {
      title: "Too many attempts",
      text: (minutes: number) =>
        `Wait ${minutes === 1 ? "one minute" : `${minutes} minutes`}, then try again.`,
    },
    500: { title: "Something went wrong", text: "Try again. The log of the gateway has the details." },
    503: {
      title: "The data cannot be saved now",
      text: "Nothing was changed. The log of the gateway has the reason.",
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
      "An account gives you the 168-hour forecast, the decisions and the plan of your battery. It is free of charge.",
    submit: "Register",
    haveAccount: "Already registered?",
    closedTitle: "Registration is closed",
    closed:
      "Accounts of this gateway are by invitation: ask its administrator for one. Administrators invite on the page Administration, and change this with accounts.registration in the configuration.",
    sentTitle: "Check your mailbox",
    sent: "We have sent a message to the address. Follow the link in it to confirm the account; the link is valid for 24 hours.",
    storedTitle: "The mail was not sent",
    stored:
      "This gateway does not send mail at the moment. The mail with the link is a file in the folder outbox of its data folder, and the log names the file. Open the link in it, or ask the administrator of the gateway for it; the link is valid for 24 hours.",
    sentNothing: "Nothing arrived? Check your spam folder, or register again.",
  },
  confirm: {
    failedTitle: "This link is not valid",
    failed: "It has been used, has expired, or is not complete.",
    signIn: "If you have confirmed the account before, sign in.",
    again: "Register again to get a new link.",
    askAgain: "Ask the administrator of the gateway for a new invitation.",
  },
  login: {
    title: "Sign in",
    submit: "Sign in",
    wrong: "E-mail or password is wrong.",
    noAccount: "No account yet?",
  },
  logout: {
    title: "Sign out",
    question: "Do you want to sign out of this browser?",
    submit: "Sign out",
  },
  site: {
    none: "Your account has no site yet. Add one first.",
    add: "Add a site",
  },
  inputError: {
    invalid_email: "Enter an e-mail address, such as anna@example.com.",
    password_too_short: "The password needs at least 10 characters.",
    password_too_long: "The password can have at most 200 characters.",
    password_common: "This password is on the lists that attackers try first. Choose another one.",
    wrong_code: "The code is wrong or has expired.",
    not_deletable: "An administrator's account cannot be deleted.",
    wrong_password: "The current password is wrong.",
    trial_used: "The trial can be started only once per account.",
    unknown_account: "There is no such account.",
    account_exists: "There is already an account with this e-mail address.",
    trial_not_needed: "This account has the full version; it needs no trial.",
    until_past: "Enter a date of today or later, or nothing.",
    no_paid_plan: "There is no paid plan for this.",
    unknown_site: "This site no longer exists; reload the page.",
    unknown_key: "There is no such active key; reload the page.",
    ambiguous_key: "Several keys begin like this; give more of its characters.",
    too_many_links: "A site has at most 50 links: revoke those that are not used any more.",
    unknown_link: "This link no longer exists; reload the page.",
    invalid_filter:
      "The filter must be an MQTT topic; + stands for one level, a last # for all levels below.",
    too_many_filters: "The site already has 100 approved filters.",
    unknown_filter: "This filter is not approved.",
    invalid_limit: "Enter a whole number of calls, 1 or more, or nothing.",
    invalid_label: "One line of at most 80 characters.",
  },
};
