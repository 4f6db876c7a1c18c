import { expect, test } from 'vitest'
import { textOfLine } from '../../views/styled-line.js'
import { AlternateView } from './alternate-view.js'

test('the last column of a full row is not erased, and the rest of a shorter row is', () => {
  const view = new AlternateView({ columns: 10, rows: 2, hasSync: false }, textOfLine)
  view.frame = { lines: [[{ text: '0123456789' }], [{ text: '012345678' }]] }

  // In xterm and tmux, an erasure right after a full row removes its last character.
  expect(view.paint()).toContain('\u001b[1H0123456789\u001b[2H012345678\u001b[K')
})
