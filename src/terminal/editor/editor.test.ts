import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import type { StyledLine } from '../../views/styled-line.js'
import { widthOf } from '../../views/text-width.js'
import type { InputEvent, KeyEvent } from '../input/input-event.js'
import { InputParser } from '../input/input-parser.js'
import { Editor, type EditorOptions } from './editor.js'

/** Parses what a terminal sends for the keys. */
function parse(keys: string): InputEvent[] {
  const events: InputEvent[] = []
  const parser = new InputParser((event) => event.type !== 'reply' && events.push(event))
  parser.push(keys)
  parser.flush()
  return events
}

function openEditor(options?: EditorOptions) {
  const editor = new Editor(options)
  const type = (keys: string) =>
    parse(keys)
      .map((event) => editor.handle(event))
      .at(-1)
  const showEditor = (width = 40, rows = 10) => show(editor, width, rows)
  /** Types the keys one by one. Returns what is shown after each. */
  const typeEach = (keys: readonly string[], width?: number) =>
    keys.map((key) => {
      type(key)
      return showEditor(width)
    })
  return { editor, type, typeEach, show: showEditor }
}

/** The rows with a bar at the caret. */
function show(editor: Editor, width: number, rows: number): string {
  const { lines, cursor } = editor.render(width, rows)
  return lines.map((line, row) => (row === cursor.row ? withBar(toText(line), cursor.column) : toText(line))).join('\n')
}

function withBar(text: string, column: number): string {
  let textBefore = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (widthOf(textBefore) >= column) break
    textBefore += segment
  }
  return `${textBefore}|${text.slice(textBefore.length)}`
}

const toText = (line: StyledLine): string => line.map(({ text }) => text).join('')
const paste = (text: string): InputEvent => ({ type: 'paste', text })
const ESC = '\u001b'
/** The Escape key in the kitty protocol. Unlike a single ESC, it does not turn the next key into an Alt key. */
const ESCAPE_KEY = `${ESC}[27u`
const UP = `${ESC}[A`
const DOWN = `${ESC}[B`
const LEFT = `${ESC}[D`

describe('keys', () => {
  test.each([
    ['typing', 'abc', 'abc|'],
    ['Backspace', 'abc\u007f', 'ab|'],
    ['Ctrl+H', 'abc\b', 'ab|'],
    ['Delete', `abc${LEFT}${LEFT}${ESC}[3~`, 'a|c'],
    ['Backspace after an emoji of several characters', 'a👩‍👩‍👧\u007f', 'a|'],
    ['left over a wide character', `漢字${LEFT}`, '漢|字'],
    ['left over an accent', `ae\u0301${LEFT}`, 'a|e\u0301'],
    ['right-to-left text', `שלום${LEFT}`, 'שלו|ם'],
    ['Home', `abc${ESC}[H`, '|abc'],
    ['Ctrl+A, Ctrl+E', 'abc\u0001\u0005', 'abc|'],
    ['Shift+Enter (kitty)', `a${ESC}[13;2ub`, 'a\nb|'],
    ['Shift+Enter (modifyOtherKeys)', `a${ESC}[27;2;13~b`, 'a\nb|'],
    ['Ctrl+J', 'a\nb', 'a\nb|'],
    ['Alt+Enter', `a${ESC}\rb`, 'a\nb|'],
    ['backslash and Enter', 'a\\\rb', 'a\nb|'],
    ['Ctrl+W', 'one two-three\u0017', 'one |'],
    ['Alt+Backspace', `one two-three${ESC}\u007f`, 'one two-|'],
    ['Alt+B, Alt+D', `one two${ESC}b${ESC}d`, 'one |'],
    ['Ctrl+U in the second line', 'one\ntwo\u0015', 'one\n|'],
    ['Ctrl+K and Ctrl+Y', 'one two\u0001\u000b\u0019\u0019', 'one twoone two|'],
    ['kills in a row are yanked together', 'one two three\u0017\u0017\u0019', 'one two three|'],
    ['Alt+Y', `a\u0001\u000bb\u0001\u000b\u0019${ESC}y`, 'a|'],
    ['undo', 'one two\u0017\u001f', 'one two|'],
    ['undo of typing, word by word', 'one two\u001f', 'one |'],
    ['undo and redo', `one two\u001f${ESC}_`, 'one two|'],
    ['Ctrl+Left and Ctrl+Right', `one two${ESC}[1;5D${ESC}[1;5D${ESC}[1;5C`, 'one| two'],
  ])('%s', (_, keys, expected) => {
    const { type, show } = openEditor()
    type(keys)
    expect(show()).toBe(expected)
  })

  test('Enter submits, and the editor is empty afterwards', () => {
    const { editor, type, show } = openEditor()
    expect(type('hello\r')).toBe('submit')
    expect(editor.takeSubmission()).toEqual({ text: 'hello', attachments: [] })
    expect(show()).toBe('|')
  })

  test.each([
    ['Enter without text', '\r'],
    ['Enter with spaces only', '  \r'],
    ['Escape', ESC],
    ['Ctrl+C', '\u0003'],
    ['Ctrl+D without text', '\u0004'],
    ['Tab', '\t'],
    ['Page Up', `${ESC}[5~`],
  ])('%s is left to other handlers', (_, keys) => {
    expect(openEditor().type(keys)).toBe('ignored')
  })

  test('up and down keep their column over wrapped rows and short lines', () => {
    const { type, typeEach, show } = openEditor()
    type('a line of more than twenty columns\nx\nanother line')
    show(20)
    expect(typeEach([UP, UP, UP, DOWN, DOWN, DOWN], 20)).toEqual([
      'a line of more than \ntwenty columns\nx|\nanother line',
      'a line of more than \ntwenty colum|ns\nx\nanother line',
      'a line of mo|re than \ntwenty columns\nx\nanother line',
      'a line of more than \ntwenty colum|ns\nx\nanother line',
      'a line of more than \ntwenty columns\nx|\nanother line',
      'a line of more than \ntwenty columns\nx\nanother line|',
    ])
  })

  test('only as many rows as asked for are drawn, around the caret', () => {
    const { type, show } = openEditor()
    type('1\n2\n3\n4\n5')
    expect(show(10, 2)).toBe('4\n5|')
    type(UP + UP + UP)
    expect(show(10, 2)).toBe('2|\n3')
  })
})

describe('history', () => {
  const history = ['first prompt', 'second prompt', 'third']

  test('up and down show earlier prompts, and the unsent text is kept', () => {
    const { type, typeEach } = openEditor({ history })
    type('new')
    expect(typeEach([UP, UP, UP, UP, DOWN, DOWN, DOWN])).toEqual([
      'third|',
      'second prompt|',
      'first prompt|',
      'first prompt|',
      'second prompt|',
      'third|',
      'new|',
    ])
  })

  test('Ctrl+R finds the newest match, and pressed again the next older one', () => {
    const { editor, type, show } = openEditor({ history })
    type('\u0012prom')
    expect(show()).toBe('second prompt|')
    expect(editor.renderMenu(80, 1).map(toText)).toEqual(['search in earlier prompts: prom'])
    type('\u0012')
    expect(show()).toBe('first prompt|')
    type('\r!')
    expect(show()).toBe('first prompt!|')
    expect(editor.renderMenu(80, 1)).toEqual([])
  })

  test('a submitted prompt becomes the newest entry', () => {
    const { editor, type, show } = openEditor({ history })
    type('fourth\r')
    editor.takeSubmission()
    type(UP)
    expect(show()).toBe('fourth|')
  })
})

describe('pastes', () => {
  const large = Array.from({ length: 2_000 }, (_, index) => `\tline ${index}`).join('\n')

  test('small text is inserted as it is', () => {
    const { editor } = openEditor()
    editor.handle(paste('one\ntwo\n'))
    expect(editor.text).toBe('one\ntwo\n')
  })

  test('large text is shown as a label with its exact size, and submitted unchanged', () => {
    const { editor, type, show } = openEditor()
    type('see ')
    editor.handle(paste(large))
    type(' please')
    expect(show(80)).toBe(`see [Pasted text #1: ${large.length} characters, 2000 lines] please|`)
    expect(editor.takeSubmission().text).toBe(`see ${large} please`)
  })

  test('the caret passes a large paste in one step, and Backspace removes it', () => {
    const { editor, type, show } = openEditor()
    editor.handle(paste(large))
    type(`${LEFT}a`)
    expect(editor.text).toBe(`a${large}`)
    type(`${ESC}[C\u007f`)
    expect(show()).toBe('a|')
  })

  test('control characters in a paste are shown as escapes and submitted unchanged', () => {
    const { editor, show } = openEditor()
    editor.handle(paste('a\u001b[31mb\u202ec'))
    expect(show()).toBe('a\\u001b[31mb\\u202ec|')
    expect(editor.text).toBe('a\u001b[31mb\u202ec')
  })

  test.each([
    ['as it is', '/home/me/shot.png'],
    ['quoted', "'/home/me/shot.png'"],
    ['with escaped spaces', '/home/me/my\\ shot.png', '/home/me/my shot.png'],
    ['as a URL', 'file:///home/me/my%20shot.png', '/home/me/my shot.png'],
  ])('the path of an image, %s, becomes an attachment', (_, pasted, path = '/home/me/shot.png') => {
    const { editor, show } = openEditor({ isImage: (candidate) => candidate === path })
    editor.handle(paste(pasted))
    expect(show()).toBe('[Image #1]|')
    expect(editor.takeSubmission()).toEqual({ text: '[Image #1]', attachments: [{ label: '[Image #1]', path }] })
  })

  test('an image that is removed from the text is not attached', () => {
    const { editor, type } = openEditor({ isImage: () => true })
    editor.handle(paste('/a.png'))
    type('\u007fno image')
    expect(editor.attachments).toEqual([])
  })

  test('a submission that is edited again keeps its images', () => {
    const { editor } = openEditor({ isImage: () => true })
    editor.handle(paste('/a.png'))
    const { text } = editor.takeSubmission()
    editor.setText(text)
    expect(editor.attachments).toEqual([{ label: '[Image #1]', path: '/a.png' }])
  })
})

describe('completion', () => {
  const files = ['src/index.ts', 'src/cli/main.ts', 'README.md']
  const completion = {
    findCommands: (word: string) =>
      ['/help', '/hooks', '/model']
        .filter((name) => name.startsWith(word))
        .map((value) => ({ value, description: 'a command' })),
    findFiles: (path: string) => files.filter((file) => file.includes(path)).map((file) => ({ value: `@${file}` })),
  }

  test('a command is proposed at the start of the text, and Enter runs it', () => {
    const { editor, type } = openEditor({ completion })
    type('/h')
    expect(editor.renderMenu(80, 5).map(toText)).toEqual(['❯ /help   a command', '  /hooks  a command'])
    type(DOWN)
    expect(type('\r')).toBe('submit')
    expect(editor.takeSubmission().text).toBe('/hooks')
  })

  test('Tab accepts a file and puts the caret after it', () => {
    const { type, show } = openEditor({ completion })
    type('look at @main\tand')
    expect(show()).toBe('look at @src/cli/main.ts and|')
  })

  test('Escape closes the proposals until another word is typed', () => {
    const { editor, type } = openEditor({ completion })
    expect(type(`/h${ESC}`)).toBe('handled')
    expect(editor.renderMenu(80, 5)).toEqual([])
    type('e')
    expect(editor.renderMenu(80, 5)).toHaveLength(1)
  })

  test('an email address is not completed as a file', () => {
    const { editor, type } = openEditor({ completion })
    type('me@src')
    expect(editor.renderMenu(80, 5)).toEqual([])
  })
})

describe('vim keys', () => {
  test.each([
    ['x', 'x', 'a|b'],
    ['Escape moves onto the last character', '', 'ab|c'],
    ['0 and i', '0ix', 'x|abc'],
    ['A', '0Ax', 'abcx|'],
    ['dd and p', `oone\nother${ESCAPE_KEY}kddp`, 'abc\nother\n|one'],
    ['cw', '0cwnew', 'new|'],
    ['d$', '0ld$', '|a'],
    ['2x', '02x', '|c'],
    ['yy and P', 'yyP', '|abc\nabc'],
    ['u', '0Du', '|abc'],
    ['r', '0rX', '|Xbc'],
    ['gg and G', `oone${ESCAPE_KEY}ggiX`, 'X|abc\none'],
  ])('%s', (_, keys, expected) => {
    const { editor, type, show } = openEditor()
    editor.isVim = true
    type('abc')
    type(ESC)
    type(keys)
    expect(show()).toBe(expected)
  })

  test('Enter submits in both modes, and the next prompt starts in insert mode', () => {
    const { editor, type } = openEditor()
    editor.isVim = true
    type('abc')
    type(ESC)
    expect(editor.mode).toBe('normal')
    expect(type('\r')).toBe('submit')
    editor.takeSubmission()
    expect(editor.mode).toBe('insert')
  })
})

/** A reference model of the editor: the graphemes before and after the caret. */
class ModelEditor {
  before: string[] = []
  after: string[] = []

  readonly keys: Record<string, () => void> = {
    left: () => this.#move(this.before, this.after),
    right: () => this.#move(this.after.reverse(), this.before, () => this.after.reverse()),
    backspace: () => void this.before.pop(),
    delete: () => void this.after.shift(),
    home: () => {
      while (this.before.length > 0 && this.before.at(-1) !== '\n') this.after.unshift(this.before.pop() ?? '')
    },
    end: () => {
      while (this.after.length > 0 && this.after[0] !== '\n') this.before.push(this.after.shift() ?? '')
    },
  }

  get text() {
    return [...this.before, ...this.after].join('')
  }

  #move(from: string[], to: string[], finish = () => {}) {
    const grapheme = from.pop()
    finish()
    if (grapheme === undefined) return
    if (to === this.after) to.unshift(grapheme)
    else to.push(grapheme)
  }
}

const action = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'b c', '\n', '漢', '🙂', '👩‍👩‍👧', 'é', 'ש', '\t', 'word\nline') },
  {
    weight: 4,
    arbitrary: fc.constantFrom('left', 'right', 'backspace', 'delete', 'home', 'end').map((key) => ({ key })),
  },
)

test('the editor behaves like a simple model, and undo restores the empty text', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), fc.integer({ min: 3, max: 20 }), (actions, width) => {
      const editor = new Editor()
      const model = new ModelEditor()
      const key = (name: string): KeyEvent => ({ type: 'key', key: name, ctrl: false, alt: false, shift: false })
      for (const testedAction of actions) {
        if (typeof testedAction === 'string') {
          editor.handle(paste(testedAction))
          model.before.push(...Array.from(new Intl.Segmenter().segment(testedAction), ({ segment }) => segment))
        } else {
          editor.handle(key(testedAction.key))
          model.keys[testedAction.key]?.()
        }
        expect(editor.text).toBe(model.text)
        const { lines, cursor } = editor.render(width, 1_000)
        const beforeCaret = model.before.join('').split('\n').at(-1) ?? ''
        expect(lines.map(toText).every((row) => widthOf(row) <= width)).toBe(true)
        expect(cursor.column).toBeLessThan(width + 1)
        if (widthOf(beforeCaret.replaceAll('\t', '    ')) === 0) expect(cursor.column).toBe(0)
      }
      editor.setText('')
      for (let count = 0; count < actions.length + 1; count++) editor.handle({ ...key('_'), ctrl: true })
      expect(editor.text).toBe('')
    }),
    createPropertyOptions(200),
  )
})
