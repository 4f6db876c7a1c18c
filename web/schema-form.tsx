import { useId, useState } from 'preact/hooks'

/** The part of JSON Schema that forms understand. */
export interface FormSchema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, FormSchema>>
  readonly required?: readonly string[]
  readonly items?: FormSchema
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
}

interface FieldProps {
  readonly name: string
  readonly schema: FormSchema
  readonly value: unknown
  readonly isRequired: boolean
  readonly onChange: (value: unknown) => void
}

/** Edits an object by its schema. What the form does not understand is edited as JSON. */
export function SchemaForm({
  schema,
  value,
  onChange,
}: {
  readonly schema: FormSchema
  readonly value: Readonly<Record<string, unknown>>
  readonly onChange: (value: Readonly<Record<string, unknown>>) => void
}) {
  const { properties = {}, required = [] } = schema
  if (Object.keys(properties).length === 0) return <p class="muted">This tool has no parameters.</p>
  return (
    <>
      {Object.entries(properties).map(([name, property]) => (
        <Field
          key={name}
          name={name}
          schema={property}
          value={value[name]}
          isRequired={required.includes(name)}
          onChange={(fieldValue) => {
            const { [name]: _old, ...others } = value
            onChange(fieldValue === undefined ? others : { ...others, [name]: fieldValue })
          }}
        />
      ))}
    </>
  )
}

function Field(props: FieldProps) {
  const { name, schema, value, isRequired, onChange } = props
  const id = useId()
  const label = (
    <>
      <strong>{name}</strong> {isRequired ? '' : <span class="muted">optional</span>}
      {schema.description !== undefined && <span class="muted description">{schema.description}</span>}
    </>
  )
  if (schema.type === 'object' && schema.properties !== undefined)
    return (
      <fieldset>
        <legend>{label}</legend>
        <SchemaForm schema={schema} value={(value ?? {}) as Record<string, unknown>} onChange={onChange} />
      </fieldset>
    )
  if (schema.type === 'array' && schema.items !== undefined) return <ListField {...props} />
  const Control = chooseControl(schema)
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Control id={id} {...props} />
    </div>
  )
}

interface ControlProps extends FieldProps {
  readonly id: string
}

function chooseControl({ type, enum: choices }: FormSchema) {
  if (choices !== undefined || type === 'boolean') return ChoiceControl
  if (type === 'number' || type === 'integer') return NumberControl
  return type === 'string' ? TextControl : JsonControl
}

function ChoiceControl({ id, name, schema, value, isRequired, onChange }: ControlProps) {
  const choices = schema.enum ?? [true, false]
  return (
    <select
      id={id}
      name={name}
      value={value === undefined ? '' : String(value)}
      onChange={(event) => onChange(choices.find((choice) => String(choice) === event.currentTarget.value))}
    >
      <option value="">{isRequired ? 'choose' : ''}</option>
      {choices.map((choice) => (
        <option key={String(choice)} value={String(choice)}>
          {String(choice)}
        </option>
      ))}
    </select>
  )
}

function NumberControl({ id, name, schema, value, onChange }: ControlProps) {
  return (
    <input
      id={id}
      name={name}
      type="number"
      step={schema.type === 'integer' ? 1 : 'any'}
      value={value === undefined ? '' : String(value)}
      onInput={({ currentTarget }) => onChange(currentTarget.value === '' ? undefined : Number(currentTarget.value))}
    />
  )
}

function TextControl({ id, name, value = '', isRequired, onChange }: ControlProps) {
  const text = String(value)
  return (
    <textarea
      id={id}
      name={name}
      rows={Math.min(20, text.split('\n').length)}
      value={text}
      onInput={({ currentTarget }) =>
        onChange(isRequired || currentTarget.value !== '' ? currentTarget.value : undefined)
      }
    />
  )
}

function ListField({ name, schema, value, isRequired, onChange }: FieldProps) {
  const items: readonly unknown[] = Array.isArray(value) ? value : []
  const itemSchema = schema.items ?? {}
  const replace = (index: number, item: unknown) => onChange(items.map((old, other) => (other === index ? item : old)))
  return (
    <fieldset>
      <legend>
        <strong>{name}</strong> {isRequired ? '' : <span class="muted">optional</span>}
        {schema.description !== undefined && <span class="muted description">{schema.description}</span>}
      </legend>
      {items.map((item, index) => (
        <div key={index} class="list-item">
          <Field
            name={`${name} ${index + 1}`}
            schema={itemSchema}
            value={item}
            isRequired={true}
            onChange={(itemValue) => replace(index, itemValue)}
          />
          <button type="button" onClick={() => onChange(items.filter((_, other) => other !== index))}>
            Remove
          </button>
        </div>
      ))}
      <button type="button" onClick={() => onChange([...items, itemSchema.type === 'object' ? {} : ''])}>
        Add to {name}
      </button>
    </fieldset>
  )
}

interface JsonControlProps {
  readonly id: string
  readonly name: string
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

/** Edits any value as JSON. An incomplete text is kept, but changes nothing. */
export function JsonControl({ id, name, value, onChange }: JsonControlProps) {
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value, undefined, 2))
  const [isInvalid, setInvalid] = useState(false)
  return (
    <textarea
      id={id}
      name={name}
      class="json"
      rows={Math.min(12, text.split('\n').length + 1)}
      value={text}
      aria-invalid={isInvalid}
      placeholder="JSON"
      onInput={(event) => {
        const newText = event.currentTarget.value
        setText(newText)
        try {
          onChange(newText.trim() === '' ? undefined : JSON.parse(newText))
          setInvalid(false)
        } catch {
          // Not complete yet.
          setInvalid(true)
        }
      }}
    />
  )
}
