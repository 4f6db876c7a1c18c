import './lib/restart-clean.mjs'
import { benchProgram, readLoad } from './lib/terminal-program.mjs'
import { benchScreen } from './lib/terminal-screen.mjs'

/**
 * Measures the terminal: the whole program with a model server, and the screen and the editor alone. `node bench/terminal.mjs
 * program` and `node bench/terminal.mjs screen` measure only one of them.
 */
const [part] = process.argv.slice(2)
console.log(`Load of the machine: ${readLoad()}`)
if (part !== 'screen') await benchProgram()
if (part !== 'program') await benchScreen()
console.log(`\nLoad of the machine: ${readLoad()}`)
