/** Returns the options with the number of cases that a property test tries. `npm run test:long` tries fifty times as many. */
export function createPropertyOptions(count = 200): { numRuns: number } {
  return { numRuns: process.env.HAFT_LONG_TESTS ? count * 50 : count }
}
