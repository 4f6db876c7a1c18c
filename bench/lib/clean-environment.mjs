/**
 * The environment for timed processes: `NODE_EXTRA_CA_CERTS` alone makes every start of Node 70 ms slower, which would
 * make each ratio to a bare Node too small.
 * @param {Readonly<Record<string, string | undefined>>} [environment]
 */
export function cleanEnvironment(environment = process.env) {
  const { NODE_EXTRA_CA_CERTS, NODE_OPTIONS, ...cleanVariables } = environment
  return cleanVariables
}
