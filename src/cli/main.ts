import { homedir } from 'node:os'
import { commands } from './commands.js'
import { EXIT } from './exit-codes.js'
import { runCli } from './run-cli.js'

// A reader that has seen enough (`haft tools | head -1`) is no failure; a disk that is full is one line.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit()
  process.stderr.write(`haft: the output cannot be written: ${error.message}\n`)
  process.exit(EXIT.failed)
})
// With nowhere left to complain, the exit code has to say it all.
process.stderr.on('error', () => {})

process.exitCode = await runCli(
  {
    args: process.argv.slice(2),
    variables: process.env,
    platform: process.platform,
    homeDir: homeFolder(),
    columns: process.stdout.columns,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
  },
  commands,
)

function homeFolder(): string | undefined {
  try {
    return homedir() || undefined
  } catch {
    // A user without an entry in the system's list and without HOME.
    return undefined
  }
}
