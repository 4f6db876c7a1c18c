import { expect, test } from 'vitest'
import { parseToolSearchMode } from './flags.js'

const tst = { type: 'tst' }
const standardMode = { type: 'standard' }
const createAutoMode = (percent: number) => ({ type: 'tst-auto', percent })

test.each([
  ['true', tst],
  ['TRUE', tst],
  ['auto:0', tst],
  ['auto:-7', tst],
  ['auto', createAutoMode(10)],
  [' Auto ', createAutoMode(10)],
  ['auto:1', createAutoMode(1)],
  ['auto:10', createAutoMode(10)],
  ['auto:99', createAutoMode(99)],
  ['auto:100', standardMode],
  ['auto:101', standardMode],
  ['auto:99999999999999999999', standardMode],
  ['false', standardMode],
  ['1', undefined],
  ['0', undefined],
  ['', undefined],
  ['auto:', undefined],
  ['auto:ten', undefined],
  ['auto:1.5', undefined],
  ['auto 5', undefined],
  ['tst', undefined],
])('HAFT_TOOL_SEARCH=%j is parsed as %j', (value, mode) => expect(parseToolSearchMode(value)).toEqual(mode))
