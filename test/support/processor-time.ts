/** The processor time that a job takes, ms, which does not depend on what else runs on the machine. */
export async function processorMs(job: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await job();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
