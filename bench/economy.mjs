import './lib/restart-clean.mjs'
import { compareWithTable, formatTable, measureAll, readTable, updateTable } from './economy/ledger.mjs'
import { isOverLimit, report } from './lib/report.mjs'

/**
 * Plays recorded tasks and counts the tokens of their requests: `node bench/economy.mjs [--json]`. A change that costs more than
 * 2% fails, until `node bench/economy.mjs --update "REASON"` has written the new figures with the reason.
 */
const [option, reason] = process.argv.slice(2)
const measured = await measureAll()
if (option === '--json') console.log(JSON.stringify(measured, undefined, 1))
else if (option === '--update') await updateTable(measured, reason)
else {
  console.log(formatTable(measured))
  const rows = compareWithTable(measured, await readTable()).map(({ name, tokens, limit }) => ({
    ...{ name, value: String(tokens), limit: String(limit), isOver: isOverLimit(tokens, limit) },
  }))
  report('Economy: tokens of all requests of a task, against table.json', rows)
}
