import './lib/restart-clean.mjs'
import { readLoad } from './lib/report.mjs'
import { benchPeers } from './lib/terminal-peers.mjs'
import { benchProgram } from './lib/terminal-program.mjs'
import { benchScreen } from './lib/terminal-screen.mjs'

/**
 * Measures the terminal: the whole program with a model server, other agents in the same session, and the screen and the
 * editor alone. `node bench/terminal.mjs program`, `peers` or `screen` measures only one of them.
 */
const [part] = process.argv.slice(2)
console.log(`Load of the machine: ${readLoad()}`)
if (part === undefined || part === 'program') await benchProgram()
if (part === undefined || part === 'peers') await benchPeers()
if (part === undefined || part === 'screen') await benchScreen()
console.log(`\nLoad of the machine: ${readLoad()}`)
