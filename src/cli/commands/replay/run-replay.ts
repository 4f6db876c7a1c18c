import type { CommandIo } from '../../io/command.js'
import { EXIT, UsageError } from '../../io/exit.js'
import { openInput } from '../../io/open-input.js'
import { type InputLine, readLines } from '../../io/read-lines.js'
import { warn } from '../../io/warn.js'
import { parseOptions } from '../../options/parse-options.js'
import { drawTimeline } from './draw-timeline.js'
import { Timeline } from './timeline.js'

const WIDTH_WITHOUT_TERMINAL = 100
/** Of a file that is broken all over, a few places are enough. */
const MAX_NAMED = 5

/** Draws what `haft run --events` wrote down. */
export async function runReplay(io: CommandIo): Promise<number> {
  const { positionals } = parseOptions(io.args, {})
  const [file, ...others] = positionals
  if (file === undefined || others.length > 0) throw new UsageError('say which one file to draw: haft replay FILE.')
  const host = await io.host()
  const timeline = new Timeline()
  const broken: string[] = []
  for await (const line of readLines(await openInput(file, host))) {
    const problem = take(line, timeline)
    if (problem !== undefined) broken.push(`line ${line.number} ${problem}`)
  }
  if (broken.length > 0) warn(io, `${file}: skipped ${brokenLines(broken)}.`)
  await host.write(drawTimeline(timeline.calls, io.columns ?? WIDTH_WITHOUT_TERMINAL))
  return broken.length > 0 ? EXIT.failed : EXIT.done
}

function take(line: InputLine, timeline: Timeline): string | undefined {
  if ('problem' in line) return line.problem
  if (line.text.trim() === '') return undefined
  try {
    return timeline.add(JSON.parse(line.text))
  } catch {
    return 'is not JSON'
  }
}

function brokenLines(broken: readonly string[]): string {
  const more = broken.length - MAX_NAMED
  return `${broken.slice(0, MAX_NAMED).join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}
