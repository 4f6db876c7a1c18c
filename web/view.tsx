import type { ComponentChildren } from 'preact'
import type { DiffHunk, View, ViewNode } from '../src/contract/views.js'
import { formatProgress } from '../src/views/plain-text.js'
import { Markdown } from './markdown.js'

/** Draws view data of tools. Everything in it is text: nothing is ever inserted as HTML. */
export function ViewContent({ view }: { readonly view: View | undefined }): ComponentChildren {
  if (view === undefined || view === null) return null
  if (typeof view === 'string') return view
  if (Array.isArray(view)) return view.map((item: View, index) => <ViewContent key={index} view={item} />)
  return drawNode(view as ViewNode)
}

function drawNode(node: ViewNode): ComponentChildren {
  switch (node.type) {
    case 'text':
      return <span class={textClass(node)}>{String(node.text)}</span>
    case 'markdown':
      return <Markdown text={String(node.text)} />
    case 'code':
      return <Code text={String(node.text)} firstLine={node.firstLine} />
    case 'diff':
      return <Diff path={String(node.path)} hunks={node.hunks} />
    case 'list': {
      const items = node.items.map((item, index) => (
        <li key={index}>
          <ViewContent view={item} />
        </li>
      ))
      return node.isOrdered === true ? <ol>{items}</ol> : <ul>{items}</ul>
    }
    case 'table':
      return <Table columns={node.columns} rows={node.rows} />
    case 'fields':
      return (
        <dl class="fields">
          {node.fields.map(({ label, value }, index) => (
            <div key={index}>
              <dt>{label}</dt>
              <dd>
                <ViewContent view={value} />
              </dd>
            </div>
          ))}
        </dl>
      )
    case 'progress':
      return <span class="muted">{formatProgress(node)}</span>
    case 'image':
      return <SafeImage alt={String(node.alt)} mediaType={node.mediaType} data={node.data} />
    case 'link':
      return (
        <SafeLink href={String(node.href)}>{`${node.text}${node.line === undefined ? '' : `:${node.line}`}`}</SafeLink>
      )
    case 'group':
      return node.layout === 'inline' ? (
        <span>
          <ViewContent view={node.children} />
        </span>
      ) : (
        <div>
          {node.children.map((child, index) => (
            <div key={index} class="block">
              <ViewContent view={child} />
            </div>
          ))}
        </div>
      )
    case 'collapsible':
      return (
        <details>
          <summary>
            <ViewContent view={node.summary} />
          </summary>
          <ViewContent view={node.content} />
        </details>
      )
    default:
      return null
  }
}

const TONES: ReadonlySet<string> = new Set(['muted', 'accent', 'success', 'warning', 'error', 'path', 'match'])

function textClass(node: Extract<ViewNode, { type: 'text' }>): string {
  const { tone = '', bold, italic, strikethrough } = node
  return ['pre', TONES.has(tone) && tone, bold && 'bold', italic && 'italic', strikethrough && 'strike']
    .filter((name) => typeof name === 'string')
    .join(' ')
}

/** Draws text line by line, as it is. */
export function Code({ text, firstLine }: { readonly text: string; readonly firstLine?: number | undefined }) {
  if (firstLine === undefined)
    return (
      <pre class="code" tabIndex={0}>
        {text}
      </pre>
    )
  return (
    <pre class="code" tabIndex={0}>
      {text.split('\n').map((line, index) => (
        <span key={index} class="line">
          <span class="number" aria-hidden="true">
            {firstLine + index}
          </span>
          {`${line}\n`}
        </span>
      ))}
    </pre>
  )
}

const DIFF_CLASSES: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed' }

function Diff({ path, hunks }: { readonly path: string; readonly hunks: readonly DiffHunk[] }) {
  return (
    <figure class="diff">
      <figcaption class="path">{path}</figcaption>
      <pre class="code" tabIndex={0}>
        {hunks.flatMap((hunk, index) => [
          index > 0 && (
            <span key={`gap ${index}`} class="muted line">
              {'…\n'}
            </span>
          ),
          ...hunk.lines.map((line, lineIndex) => (
            <span key={`${index} ${lineIndex}`} class={`line ${DIFF_CLASSES[line[0] ?? ''] ?? ''}`}>{`${line}\n`}</span>
          )),
        ])}
      </pre>
    </figure>
  )
}

function Table({
  columns,
  rows,
}: {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly View[])[]
}) {
  return (
    <section class="scroll" tabIndex={0} aria-label="Table">
      <table>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th key={index} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, cellIndex) => (
                <td key={cellIndex}>
                  <ViewContent view={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Draws a link to a web page. Any other address is only shown, because it could be a script. */
export function SafeLink({ href, children }: { readonly href: string; readonly children: ComponentChildren }) {
  if (!/^https?:\/\//i.test(href)) return <span class="path">{children}</span>
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  )
}

const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

function SafeImage({
  alt,
  mediaType,
  data,
}: {
  readonly alt: string
  readonly mediaType: string
  readonly data: string
}) {
  if (!IMAGE_TYPES.has(mediaType) || !/^[A-Za-z0-9+/=]*$/.test(data)) return <span class="muted">{alt}</span>
  return <img alt={alt} src={`data:${mediaType};base64,${data}`} />
}
