// Runs the official MCP conformance suite: its server scenarios through the gateway, its client scenarios with Haft's
// own client, in every revision. A scenario counts only if it checked something.
//   node test/mcp-conformance/run.mjs [server|client]
import { bundleClient } from './lib/bundle-client.mjs'
import { startGateway } from './lib/gateway.mjs'
import { REVISIONS, runSuite } from './lib/suite.mjs'

const legs = process.argv.length > 2 ? process.argv.slice(2) : ['server', 'client']
/** The arguments of the servers behind the gateway, one of each kind. */
const FIXTURES = { 'a server of all revisions': [], 'a server of older revisions only': ['--legacy'] }
/** In the newest revision the suite tests features that no older server can support. */
const NEEDS_NEW_SERVER = '2026-07-28'

/** The suite starts all clients at once, which is slow on a small machine. */
const TIMEOUT_MS = '180000'

let passed = 0
let failed = 0

/**
 * @param {string} title
 * @param {import('./lib/suite.mjs').Outcome[]} outcomes
 */
function report(title, outcomes) {
  const failures = outcomes.filter(({ isPassed }) => !isPassed)
  passed += outcomes.length - failures.length
  failed += failures.length
  console.log(`${title}: ${outcomes.length - failures.length} of ${outcomes.length}`)
  for (const { scenario, problems } of failures) console.log(`  ${scenario}\n    ${problems.join('\n    ')}`)
}

if (legs.includes('server')) {
  for (const [serverKind, args] of Object.entries(FIXTURES)) {
    for (const revision of REVISIONS) {
      if (args.length > 0 && revision === NEEDS_NEW_SERVER) continue
      const gateway = await startGateway(args)
      try {
        report(
          `server ${revision}, through the gateway to ${serverKind}`,
          await runSuite('server', revision, ['--url', gateway.url]),
        )
      } finally {
        await gateway.stop()
      }
    }
  }
}
if (legs.includes('client')) {
  const command = `${process.execPath} ${await bundleClient()}`
  for (const revision of REVISIONS) {
    report(`client ${revision}`, await runSuite('client', revision, ['--command', command, '--timeout', TIMEOUT_MS]))
  }
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
