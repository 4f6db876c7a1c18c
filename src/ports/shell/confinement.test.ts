import { openSync } from 'node:fs'
import { expect, test } from 'vitest'
import { listStrayDescriptors } from '../../system/processes/stray-descriptors.js'
import { closeAll } from './command-files.js'
import { type Stdio, withInheritedFiles } from './confinement.js'

test('descriptors that the program must not get are replaced by an empty file', () => {
  const prefix = { argvPrefix: ['bwrap'], inheritedFiles: ['/dev/null'], strayDescriptors: [4, 7, 9] }
  const stdio = withInheritedFiles(prefix, ['ignore', 'pipe', 'pipe', 'ignore', 8], (streams): Stdio[] => streams)

  const empty = stdio[7]
  expect(typeof empty).toBe('number')
  expect(stdio).toEqual(['ignore', 'pipe', 'pipe', 'ignore', 8, expect.any(Number), 'ignore', empty, 'ignore', empty])
})

test('files that Haft itself opens are not inherited by other programs', () => {
  const descriptor = openSync('/dev/null', 'r')
  try {
    expect(listStrayDescriptors()).not.toContain(descriptor)
  } finally {
    closeAll(descriptor)
  }
})
