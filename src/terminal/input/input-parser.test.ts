import { StringDecoder } from 'node:string_decoder'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import type { InputEvent } from './input-event.js'
import { InputParser, type TerminalReply } from './input-parser.js'

const ESC = '\u001b'
const START = `${ESC}[200~`
const END = `${ESC}[201~`

function parse(...chunks: string[]): (InputEvent | TerminalReply)[] {
  const events: (InputEvent | TerminalReply)[] = []
  const parser = new InputParser((event) => events.push(event))
  for (const chunk of chunks) parser.push(chunk)
  parser.flush()
  return events
}

/** For example `ctrl+alt+left`, `a:A` for a key that types A, `paste:…`, `reply`. */
function describeEvent(event: InputEvent | TerminalReply): string {
  if (event.type === 'paste') return `paste:${event.text}`
  if (event.type === 'reply') return 'reply'
  if (event.type === 'focus') return event.hasFocus ? 'focus' : 'blur'
  const { ctrl, alt, shift, key, text } = event
  const modifiers = `${ctrl ? 'ctrl+' : ''}${alt ? 'alt+' : ''}${shift ? 'shift+' : ''}`
  return modifiers + key + (text === undefined ? '' : `:${text}`)
}

const describeAll = (...chunks: string[]) =>
  parse(...chunks)
    .map(describeEvent)
    .join(' ')

test.each([
  ['letters', 'aB', 'a:a shift+b:B'],
  ['a space', ' ', 'space: '],
  ['text of an input method', '漢字', '漢:漢 字:字'],
  ['a joined emoji', '👩‍👩‍👧', '👩‍👩‍👧:👩‍👩‍👧'],
  ['Enter, Tab, Backspace', '\r\t\u007f', 'enter tab backspace'],
  ['Ctrl with letters', '\u0001\n\u001a', 'ctrl+a ctrl+j ctrl+z'],
  ['Ctrl with other keys', '\u0000\u001c\u001f', 'ctrl+space ctrl+\\ ctrl+_'],
  ['arrows', `${ESC}[A${ESC}OB${ESC}[1;5C${ESC}[1;3D`, 'up down ctrl+right alt+left'],
  ['keys sent as numbers', `${ESC}[3~${ESC}[5;2~${ESC}[15~${ESC}[24;5~`, 'delete shift+pageup f5 ctrl+f12'],
  ['Home and End in all forms', `${ESC}[H${ESC}OF${ESC}[1~${ESC}[4~${ESC}[7~${ESC}[8~`, 'home end home end home end'],
  ['Shift+Tab', `${ESC}[Z`, 'shift+tab'],
  ['Alt as a prefix', `${ESC}b${ESC}\r${ESC}\u007f`, 'alt+b alt+enter alt+backspace'],
  ['Alt as a prefix of an arrow', `${ESC}${ESC}[A`, 'alt+up'],
  ['Shift+Enter (kitty)', `${ESC}[13;2u`, 'shift+enter'],
  ['Ctrl+C (kitty)', `${ESC}[99;5u`, 'ctrl+c'],
  ['Ctrl+Shift+Z (kitty)', `${ESC}[122;6u`, 'ctrl+shift+z'],
  ['Escape (kitty)', `${ESC}[27u`, 'escape'],
  ['with Num Lock', `${ESC}[13;129u`, 'enter'],
  ['with alternates and text', `${ESC}[97:65;2;65u`, 'shift+a:A'],
  ['keypad', `${ESC}[57399u${ESC}[57414u`, '0:0 enter'],
  ['a released key', `${ESC}[97;5:3u`, ''],
  ['Super', `${ESC}[97;9u`, ''],
  ['Shift+Enter (modifyOtherKeys)', `${ESC}[27;2;13~`, 'shift+enter'],
  ['Ctrl+I (modifyOtherKeys)', `${ESC}[27;5;105~`, 'ctrl+i'],
  ['an upper-case letter (modifyOtherKeys)', `${ESC}[27;2;65~`, 'shift+a:A'],
  ['focus', `${ESC}[I${ESC}[O`, 'focus blur'],
  ['F3 with Shift', `${ESC}[1;2R`, 'shift+f3'],
  ['a reply with attributes', `${ESC}[?1;2c`, 'reply'],
  ['a reply about a mode', `${ESC}[?2026;2$y`, 'reply'],
  ['a reply about the keyboard protocol', `${ESC}[?1u`, 'reply'],
  ['a reply with the cursor position', `${ESC}[24;80R`, 'reply'],
  ['a reply with a colour', `${ESC}]11;rgb:0000/0000/0000${ESC}\\a`, 'reply a:a'],
  ['a reply with a version', `${ESC}P>|xterm(390)${ESC}\\a`, 'reply a:a'],
  ['a mouse event', `${ESC}[<0;10;10M`, 'reply'],
  ['Escape alone', ESC, 'escape'],
  ['Alt+[', `${ESC}[`, 'alt+[:['],
  ['a damaged sequence', `${ESC}[12;`, ''],
])('%s', (_, sent, expected) => {
  expect(describeAll(sent)).toBe(expected)
})

test('replies between keys do not become keys', () => {
  expect(describeAll(`a${ESC}[?62;c`, 'b')).toBe('a:a reply b:b')
})

test('a paste keeps tabs and control characters, and all its line ends become line feeds', () => {
  expect(parse(`${START}a\tb\r\nc\rd\ne${ESC}[31mf${END}`)).toEqual([
    { type: 'paste', text: `a\tb\nc\nd\ne${ESC}[31mf` },
  ])
})

test('a paste that contains the end marker does not press keys', () => {
  expect(parse(`${START}harmless${END}rm -rf ~\r${END}`)).toEqual([
    { type: 'paste', text: 'harmless' },
    { type: 'paste', text: 'rm -rf ~\n' },
  ])
})

test('a paste that contains the end marker and a start marker does not press keys', () => {
  expect(parse(`${START}a${END}rm -rf ~\r${START}b`, END)).toEqual([
    { type: 'paste', text: 'a' },
    { type: 'paste', text: 'rm -rf ~\n' },
    { type: 'paste', text: 'b' },
  ])
})

test('keys shortly after a paste are keys', () => {
  expect(describeAll(`${START}a${END}`, '\r')).toBe('paste:a enter')
})

const part = fc.constantFrom(
  ...['a', 'B', '漢', '🙂', '\r', '\u0003', `${ESC}[A`, `${ESC}[1;5D`, `${ESC}OP`, `${ESC}[13;2u`, `${ESC}[?1;2c`],
  ...[`${ESC}x`, `${ESC}]11;rgb:0/0/0\u0007`, `${START}pasted ${ESC}[A\r\ttext${END}`, `${ESC}[I`],
)

test('the events do not depend on how the input is split', () => {
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 12 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
      (parts, sizes) => {
        const input = Buffer.from(parts.join(''))
        // The bytes of one character may be split, too.
        const decoder = new StringDecoder('utf8')
        const chunks: string[] = []
        let start = 0
        for (const size of sizes) {
          if (start >= input.length) break
          chunks.push(decoder.write(input.subarray(start, start + size)))
          start += size
        }
        expect(parse(...chunks)).toEqual(parse(parts.join('')))
      },
    ),
    createPropertyOptions(500),
  )
})

test('a reply that a terminal sends in the middle of a paste is not part of the pasted text', () => {
  const events: (InputEvent | TerminalReply)[] = []
  const parser = new InputParser((event) => events.push(event))
  parser.awaitsPosition = true
  for (const piece of [`${START}pasted `, `${ESC}[12;`, `80Rtext${END}`]) parser.push(piece)
  parser.flush()
  expect(events.map(describeEvent)).toEqual(['reply', 'paste:pasted text'])
})

test('pasted text that looks like a reply is kept if no reply is expected', () => {
  expect(describeAll(`${START}${ESC}[12;80R${END}`)).toBe(`paste:${ESC}[12;80R`)
})
