import { expect, test } from 'vitest'
import { analyseCommand } from '../analyse-command.js'

function isReadOnly(command: string): boolean {
  return analyseCommand(command, { cwd: '/home/dev/proj' }).isReadOnly
}

test.each([
  'for ((i=0;i<3;i++)); do echo $i; done',
  'for ((i=0; i<10; ++i)); do x=$i; echo $x; done',
  'for ((i=1; i<=9; i+=2)); do head -n $i a.txt; done',
])('%s is read-only, because its loop only counts', (command) => {
  expect(isReadOnly(command)).toBe(true)
})

test.each([
  'for ((i=x;i<3;i++)); do echo; done',
  'for ((i=0;i<x;i++)); do echo; done',
  "for ((i=0;i<3;i++)); do i='a[$(touch y)]'; done",
  'read i; for ((i=0;i<3;i++)); do read i; done',
  'for ((i=0;i<3;i=x)); do echo; done',
  'for ((i=0;i<3;j++)); do echo; done',
  'for ((i=0;x=1;i++)); do echo; done',
  'for ((i=0;a[$(touch y)];i++)); do echo; done',
  'for ((PATH=0;PATH<3;PATH++)); do ls; done',
  'for ((i=0;i<3;i++)); do touch $i; done',
  'for ((i=5;i>-9;i--)); do sort $i a.txt; done',
  'for ((i=0;i<3;i++)); do echo; done; echo $((i))',
  'for ((i=0;i<3;i++)); do declare -n i=y; done',
])('%s is not read-only, because its loop may do more than count', (command) => {
  expect(isReadOnly(command)).toBe(false)
})
