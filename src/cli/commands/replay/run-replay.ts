import type { CommandIo } from '../../io/command.js'
import { EXIT, UsageError } from '../../io/exit.js'
import { openInput } from '../../io/open-input.js'
import { type InputLine, readLines } from '../../io/read-lines.js'
import { warn } from '../../io/warn.js'
import { parseOptions } from '../../options/parse-options.js'
import { drawTimeline } from './draw-timeline.js'
import { Timeline } from './timeline.js'

const WIDTH_WITHOUT_TERMINAL = 100
/** Further malformed lines are only counted in the warning. */
const MAX_LISTED_LINES = 5

/** Draws the timeline of a `haft run --events` log. */
export async function runReplay(io: CommandIo): Promise<number> {
  const { positionals } = parseOptions(io.args, {})
  const [file, ...others] = positionals
  if (file === undefined || others.length > 0) throw new UsageError('expected one file: haft replay FILE.')
  const host = await io.host()
  const timeline = new Timeline()
  const malformedLines: string[] = []
  for await (const line of readLines(await openInput(file, host))) {
    const problem = addLine(line, timeline)
    if (problem !== undefined) malformedLines.push(`line ${line.number} ${problem}`)
  }
  if (malformedLines.length > 0) warn(io, `${file}: skipped malformed lines: ${describeLines(malformedLines)}.`)
  await host.write(drawTimeline(timeline.calls, io.columns ?? WIDTH_WITHOUT_TERMINAL))
  return malformedLines.length > 0 ? EXIT.failed : EXIT.done
}

function addLine(line: InputLine, timeline: Timeline): string | undefined {
  if ('problem' in line) return line.problem
  if (line.text.trim() === '') return undefined
  try {
    return timeline.add(JSON.parse(line.text))
  } catch {
    return 'is not JSON'
  }
}

function describeLines(malformedLines: readonly string[]): string {
  const unlistedCount = malformedLines.length - MAX_LISTED_LINES
  return `${malformedLines.slice(0, MAX_LISTED_LINES).join('; ')}${unlistedCount > 0 ? `; and ${unlistedCount} more` : ''}`
}
