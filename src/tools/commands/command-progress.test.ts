import { expect, test } from 'vitest'
import { type CommandProgress, createProgressReporter } from './command-output.js'

const toBytes = (text: string) => new TextEncoder().encode(text)

function collectProgress(...chunks: readonly Uint8Array[]): readonly CommandProgress[] {
  const reports: CommandProgress[] = []
  const add = createProgressReporter((progress) => reports.push(progress))
  for (const chunk of chunks) add(chunk)
  return reports
}

test('each chunk of a short output is reported, with all lines so far', () => {
  expect(collectProgress(toBytes('one\n'), toBytes('two\n'))).toEqual([
    { type: 'output', lastLines: 'one', receivedBytes: 4 },
    { type: 'output', lastLines: 'one\ntwo', receivedBytes: 8 },
  ])
})

test('only the last lines are reported, without colours', () => {
  const lines = Array.from({ length: 9 }, (_, index) => `\u001b[3${index}mline ${index}\n`).join('')
  expect(collectProgress(toBytes(lines)).at(-1)?.lastLines).toBe('line 4\nline 5\nline 6\nline 7\nline 8')
})

test('much output is reported rarely, with an exact byte count', () => {
  const chunk = new Uint8Array(10_000).fill(0x61)
  const reports = collectProgress(...Array.from({ length: 1_000 }, () => chunk))

  expect(reports.length).toBeLessThan(250)
  expect(reports.at(-1)?.receivedBytes).toBeGreaterThan(9_900_000)
})

test('reusing the buffer of a chunk does not change the lines already received', () => {
  const chunk = toBytes('first\n')
  const reports: CommandProgress[] = []
  const add = createProgressReporter((progress) => reports.push(progress))
  add(chunk)
  chunk.set(toBytes('XXXXX\n'))
  add(toBytes('second\n'))

  expect(reports.at(-1)?.lastLines).toBe('first\nsecond')
})
