import type { Elicitation, ElicitationAnswer } from '../../contract/ports/ask.js'
import { isRecord } from '../../shared/is-record.js'
import { renderView } from '../../views/render-view.js'
import type { StyledLine } from '../../views/styled-line.js'
import { BLANK_LINE, createMutedSpan } from '../blocks/format.js'
import { Editor } from '../editor/editor.js'
import type { InputEvent } from '../input/input-event.js'
import { ChoiceList } from './choice-list.js'
import { AnswerDialog, type DialogFrame, isCancel, renderKeyHints } from './dialog.js'

interface FormField {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly type: 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices'
  readonly options: readonly { readonly value: string; readonly label: string }[]
  readonly isRequired: boolean
  readonly initial: string
  readonly schema: Readonly<Record<string, unknown>>
}

/** A form that an MCP server asks the user to fill in, field by field. Esc declines. */
export class FormDialog extends AnswerDialog<ElicitationAnswer> {
  readonly #elicitation: Elicitation
  readonly #fields: readonly FormField[]
  readonly #values: Record<string, unknown> = {}
  readonly #editor = new Editor()
  #index = 0
  #choices: ChoiceList | undefined
  #problem = ''

  constructor(elicitation: Elicitation) {
    super()
    this.#elicitation = elicitation
    this.#fields = readFields(elicitation.schema)
    this.#openField()
  }

  get step(): string {
    return `${this.#index} ${this.#problem}`
  }

  handle(event: InputEvent): void {
    if (isCancel(event)) {
      this.settle({ action: 'decline' })
      return
    }
    this.#problem = ''
    const field = this.#fields[this.#index]
    if (field === undefined) this.#handleConfirmation(event)
    else if (this.#choices !== undefined) this.#handleChoice(event, field, this.#choices)
    else if (this.#editor.handle(event) === 'submit') this.#submitText(field)
  }

  #handleConfirmation(event: InputEvent): void {
    const choice = this.#choices?.handle(event)
    if (choice === 0) this.settle({ action: 'accept', content: this.#values })
    else if (choice === 1) this.#restart()
    else if (choice === 2) this.settle({ action: 'decline' })
  }

  #handleChoice(event: InputEvent, field: FormField, choices: ChoiceList): void {
    const choice = choices.handle(event)
    if (choice === undefined) return
    if (field.type === 'choices')
      this.#values[field.name] = choices.marked.flatMap((index) => field.options[index]?.value ?? [])
    else if (field.type === 'boolean' && choice < 2) this.#values[field.name] = choice === 0
    else if (choice < field.options.length) this.#values[field.name] = field.options[choice]?.value
    else delete this.#values[field.name]
    this.#openNextField()
  }

  #submitText(field: FormField): void {
    const text = this.#editor.text.trim()
    const problem = findProblem(text, field)
    if (problem !== undefined) {
      this.#problem = problem
      return
    }
    if (text === '') delete this.#values[field.name]
    else this.#values[field.name] = field.type === 'text' ? text : Number(text)
    this.#openNextField()
  }

  #openNextField(): void {
    this.#index++
    this.#openField()
  }

  #restart(): void {
    this.#index = 0
    this.#openField()
  }

  #openField(): void {
    const field = this.#fields[this.#index]
    this.#choices = undefined
    if (field === undefined)
      this.#choices = new ChoiceList([{ label: 'Send' }, { label: 'Change it' }, { label: 'Decline' }])
    else if (field.type === 'boolean' || field.type === 'choice' || field.type === 'choices') {
      const noAnswerChoices = field.type !== 'choices' && !field.isRequired ? [{ label: 'No answer' }] : []
      const options = { isMultiple: field.type === 'choices' }
      const labels = field.type === 'boolean' ? ['Yes', 'No'] : field.options.map(({ label }) => label)
      this.#choices = new ChoiceList([...labels.map((label) => ({ label })), ...noAnswerChoices], options)
    } else this.#editor.setText(String(this.#values[field.name] ?? field.initial))
  }

  render(width: number): DialogFrame {
    const rows: StyledLine[] = [...this.#renderHead(width), BLANK_LINE, ...this.#renderFieldHead(width)]
    if (this.#choices !== undefined) {
      return {
        lines: [
          ...rows,
          ...this.#choices.render(width),
          ...renderKeyHints(['number or Enter to choose', 'Esc: decline'], width),
        ],
      }
    }
    const { lines, cursor } = this.#editor.render(width - 2, 4)
    const problem: StyledLine[] = this.#problem === '' ? [] : [[{ text: this.#problem, style: { tone: 'error' } }]]
    return {
      lines: [
        ...rows,
        ...lines.map((row): StyledLine => [{ text: '> ' }, ...row]),
        ...problem,
        [createMutedSpan('Enter: next · Esc: decline')],
      ],
      cursor: { row: rows.length + cursor.row, column: cursor.column + 2 },
    }
  }

  #renderHead(width?: number): StyledLine[] {
    const { serverName, message } = this.#elicitation
    const options = { verbose: true, ...(width !== undefined && { width }) }
    return [
      [{ text: `The MCP server ${serverName} asks:`, style: { bold: true, tone: 'warning' } }],
      ...renderView(message, options),
    ]
  }

  #renderFieldHead(width?: number): StyledLine[] {
    const field = this.#fields[this.#index]
    const options = { verbose: true, ...(width !== undefined && { width }) }
    if (field === undefined) {
      const fields = Object.entries(this.#values).map(([label, value]) => ({ label, value: String(value) }))
      return [...renderView({ type: 'fields', fields }, options), [{ text: 'Send this to the server?' }]]
    }
    const { title, description, isRequired } = field
    const note = isRequired ? '' : ' (optional)'
    const position = `${this.#index + 1} of ${this.#fields.length}  `
    const name: StyledLine = [createMutedSpan(position), { text: `${title}${note}`, style: { bold: true } }]
    return [
      name,
      ...(description === '' ? [] : renderView({ type: 'text', text: description, tone: 'muted' }, options)),
    ]
  }

  announce(): readonly StyledLine[] {
    const problem: StyledLine[] = this.#problem === '' ? [] : [[{ text: this.#problem }]]
    const head = this.#index === 0 && this.#problem === '' ? this.#renderHead() : []
    return [...problem, ...head, ...this.#renderFieldHead(), ...(this.#choices?.announce() ?? [])]
  }
}

function readFields(schema: unknown): readonly FormField[] {
  if (!isRecord(schema) || !isRecord(schema.properties)) return []
  const requiredNames: readonly unknown[] = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(schema.properties).flatMap(([name, property]): readonly FormField[] => {
    if (!isRecord(property)) return []
    const items = isRecord(property.items) ? property.items : {}
    const isList = property.type === 'array'
    const options = readOptions(isList ? items : property)
    return [
      {
        ...{
          name,
          options,
          schema: property,
          isRequired: requiredNames.includes(name),
          type: chooseFieldType(property, options, isList),
        },
        title: typeof property.title === 'string' ? property.title : name,
        description: typeof property.description === 'string' ? property.description : '',
        initial: property.default === undefined ? '' : String(property.default),
      },
    ]
  })
}

function chooseFieldType(
  { type }: Readonly<Record<string, unknown>>,
  options: FormField['options'],
  isList: boolean,
): FormField['type'] {
  if (isList) return 'choices'
  if (options.length > 0) return 'choice'
  return type === 'number' || type === 'integer' || type === 'boolean' ? type : 'text'
}

/**
 * Reads both forms in which MCP lists values: `enum` with `enumNames`, and `oneOf` or `anyOf` with `const` and `title`.
 */
function readOptions(property: Readonly<Record<string, unknown>>): FormField['options'] {
  const { enum: values, enumNames, oneOf = property.anyOf } = property
  if (Array.isArray(values)) {
    const names: readonly unknown[] = Array.isArray(enumNames) ? enumNames : []
    return values.map((value, index) => ({ value: String(value), label: String(names[index] ?? value) }))
  }
  if (!Array.isArray(oneOf)) return []
  return oneOf.flatMap((option) =>
    isRecord(option) && option.const !== undefined
      ? [{ value: String(option.const), label: String(option.title ?? option.const) }]
      : [],
  )
}

/** Returns why a text is not a valid value, or undefined if it is valid. */
function findProblem(text: string, { isRequired, type, schema }: FormField): string | undefined {
  if (text === '') return isRequired ? 'A value is required.' : undefined
  return type === 'text' ? findTextProblem(text, schema) : findNumberProblem(Number(text), type === 'integer', schema)
}

function findTextProblem(text: string, schema: FormField['schema']): string | undefined {
  const { minLength, maxLength, format } = schema
  if (typeof minLength === 'number' && text.length < minLength) return `Use at least ${minLength} characters.`
  if (typeof maxLength === 'number' && text.length > maxLength) return `Use at most ${maxLength} characters.`
  if (format === 'email' && !/^\S+@\S+\.\S+$/.test(text)) return 'This is not an email address.'
  return format === 'uri' && !URL.canParse(text) ? 'This is not a URL.' : undefined
}

function findNumberProblem(value: number, mustBeInteger: boolean, schema: FormField['schema']): string | undefined {
  const { minimum, maximum } = schema
  if (Number.isNaN(value)) return 'This is not a number.'
  if (mustBeInteger && !Number.isInteger(value)) return 'This is not an integer.'
  if (typeof minimum === 'number' && value < minimum) return `Use at least ${minimum}.`
  return typeof maximum === 'number' && value > maximum ? `Use at most ${maximum}.` : undefined
}
