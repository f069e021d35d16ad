/** How numbers, dates and spans are written. */
export const englishFormat = {
  /** BCP 47 tag for numbers and dates. */
  locale: "en-GB",
  decimal: ".",
  today: "today",
  tomorrow: "tomorrow",
  minutes: (count: number) => (count === 1 ? "1 minute" : `${count} minutes`),
  hours: (count: number) => (count === 1 ? "1 hour" : `${count} hours`),
  days: (count: number) => (count === 1 ? "1 day" : `${count} days`),
  range: (least: number | null, most: number | null) => `${least} to ${most}`,
};
