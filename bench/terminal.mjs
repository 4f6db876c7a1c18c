import './lib/restart-clean.mjs'
import { readLoad } from './lib/report.mjs'
import { runParts } from './lib/run-parts.mjs'
import { benchPeers } from './lib/terminal-peers.mjs'
import { benchProgram } from './lib/terminal-program.mjs'
import { benchScreen } from './lib/terminal-screen.mjs'

/**
 * Measures the terminal: the whole program with a model server, other agents in the same session, and the screen and the
 * editor alone. `node bench/terminal.mjs program`, `peers` or `screen` measures only one of them.
 */
console.log(`Load of the machine: ${readLoad()}`)
await runParts({ program: benchProgram, peers: benchPeers, screen: benchScreen })
console.log(`\nLoad of the machine: ${readLoad()}`)
