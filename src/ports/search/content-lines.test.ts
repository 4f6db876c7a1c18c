import { expect, test } from 'vitest'
import { readPrintedRecords } from './content-lines.js'

const BINARY_NOTICE = 'a.bin: WARNING: stopped searching binary file after match (found "\\0" byte around offset 7)\n'

test('notices about binary files and incomplete records in the output of ripgrep are skipped', () => {
  const output = Buffer.from(`a\x001:f(x)\n${BINARY_NOTICE}b)\x002:y\nc\x003:z`)
  const foundRecords = [...readPrintedRecords(output)].map(({ path, content }) => [path.toString(), content.toString()])

  expect(foundRecords).toEqual([
    ['a', '1:f(x)'],
    ['b)', '2:y'],
  ])
})

// In quadratic time, this test would exceed its time limit.
test('hundreds of thousands of output lines without a bracket are parsed in linear time', () => {
  const output = Buffer.from('some/file.txt\x0012:needle in a line\n'.repeat(300_000))
  let count = 0
  for (const { path } of readPrintedRecords(output)) count += path.length > 0 ? 1 : 0

  expect(count).toBe(300_000)
})
