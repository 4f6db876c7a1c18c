import type { Answer, Question } from '../../contract/ports/ask.js'
import { renderView } from '../../views/render-view.js'
import type { StyledLine } from '../../views/styled-line.js'
import { BLANK_LINE, createMutedSpan } from '../blocks/format.js'
import { Editor } from '../editor/editor.js'
import type { InputEvent } from '../input/input-event.js'
import { ChoiceList } from './choice-list.js'
import { AnswerDialog, BAR_WIDTH, type DialogFrame, isCancel, isKey, renderKeyHints, withBar } from './dialog.js'

/** The model's questions, one after another. Resolves to undefined if the user dismisses them. */
export class QuestionDialog extends AnswerDialog<readonly Answer[] | undefined> {
  readonly #questions: readonly Question[]
  readonly #answers: Answer[] = []
  readonly #editor = new Editor()
  #choices!: ChoiceList
  #isTyping = false

  constructor(questions: readonly Question[]) {
    super()
    this.#questions = questions
    this.#openQuestion()
  }

  get step(): string {
    return `${this.#answers.length}${this.#isTyping ? ' typing' : ''}`
  }

  handle(event: InputEvent): void {
    if (this.#isTyping) {
      this.#handleText(event)
      return
    }
    if (isCancel(event)) {
      this.settle(undefined)
      return
    }
    if (isKey(event, 'left') && this.#answers.length > 0) {
      this.#answers.pop()
      this.#openQuestion()
      return
    }
    const choice = this.#choices.handle(event)
    if (choice === undefined) return
    const { options, multiSelect } = this.#question
    const labelsAt = (indices: readonly number[]) => indices.flatMap((index) => options[index]?.label ?? [])
    if (multiSelect) {
      const { marked } = this.#choices
      if (choice === options.length || marked.includes(options.length)) this.#startTyping()
      else this.#addAnswer(labelsAt(marked.length === 0 ? [choice] : marked))
    } else if (choice === options.length) this.#startTyping()
    else this.#addAnswer(labelsAt([choice]))
  }

  #handleText(event: InputEvent): void {
    if (isCancel(event)) {
      this.#isTyping = false
      return
    }
    if (this.#editor.handle(event) !== 'submit') return
    const other = this.#editor.text.trim()
    this.#isTyping = false
    if (other === '') return
    const { options } = this.#question
    this.#addAnswer(
      this.#choices.marked.flatMap((index) => options[index]?.label ?? []),
      other,
    )
  }

  get #question(): Question {
    return this.#questions[this.#answers.length] as Question
  }

  #openQuestion(): void {
    const { options, multiSelect } = this.#question
    this.#isTyping = false
    this.#choices = new ChoiceList(
      [
        ...options.map(({ label, description }) => ({
          label,
          ...(description !== '' && { detail: { type: 'text', text: description, tone: 'muted' } as const }),
        })),
        { label: 'Something else' },
      ],
      { isMultiple: multiSelect },
    )
  }

  #startTyping(): void {
    this.#isTyping = true
    this.#editor.setText('')
  }

  #addAnswer(chosenLabels: readonly string[], other?: string): void {
    this.#answers.push({
      question: this.#question.question,
      chosen: chosenLabels,
      ...(other !== undefined && { other }),
    })
    if (this.#answers.length === this.#questions.length) this.settle(this.#answers)
    else this.#openQuestion()
  }

  render(width: number): DialogFrame {
    const { question, header, multiSelect } = this.#question
    const count = this.#questions.length
    const position = count === 1 ? '' : `  ${this.#answers.length + 1} of ${count}`
    const questionRows: StyledLine[] = [
      [{ text: header, style: { bold: true, tone: 'accent' } }, createMutedSpan(position)],
      ...renderView(question, { width: width - BAR_WIDTH, verbose: true }),
    ]
    const top: StyledLine[] = [...withBar(questionRows, 'accent'), BLANK_LINE]
    if (this.#isTyping) {
      const { lines, cursor } = this.#editor.render(width - 2, 6)
      const rows = lines.map((row): StyledLine => [{ text: '> ' }, ...row])
      return { lines: [...top, ...rows], cursor: { row: top.length + cursor.row, column: cursor.column + 2 } }
    }
    const keys = multiSelect ? 'number or Space to mark · Enter when done' : 'number or Enter to choose'
    const backHints = this.#answers.length > 0 ? ['← back'] : []
    const keyHints = renderKeyHints([keys, ...backHints, 'Esc: do not answer'], width)
    return { lines: [...top, ...this.#choices.render(width), ...keyHints] }
  }

  announce(): readonly StyledLine[] {
    if (this.#isTyping) return [[{ text: 'Your answer:' }]]
    const { question, header, multiSelect } = this.#question
    return [
      [{ text: `Question, ${header}: ` }],
      ...renderView(question, { verbose: true, isScreenReader: true }),
      ...this.#choices.announce(),
      [{ text: multiSelect ? 'Type the numbers, then Enter.' : 'Type a number.' }],
    ]
  }
}
