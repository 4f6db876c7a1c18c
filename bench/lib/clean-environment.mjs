/**
 * Removes the variables that change how Node starts: `NODE_EXTRA_CA_CERTS` alone adds 70 ms to every start, which would
 * make each ratio to a bare Node too small.
 * @param {Readonly<Record<string, string | undefined>>} [environment]
 */
export function cleanEnvironment(environment = process.env) {
  const { NODE_EXTRA_CA_CERTS, NODE_OPTIONS, ...cleanVariables } = environment
  return cleanVariables
}
