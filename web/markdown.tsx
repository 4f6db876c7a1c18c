import { lexer, type Token, type Tokens } from 'marked'
import type { ComponentChildren } from 'preact'
import { Code, SafeLink } from './view.js'

/** Draws Markdown as elements. HTML in it is shown as text, and images are not loaded. */
export function Markdown({ text }: { readonly text: string }) {
  return <div class="markdown">{lexer(text).map((token, index) => drawBlock(token, index))}</div>
}

/** The page itself uses the levels above. */
const HEADINGS = ['h3', 'h4', 'h5', 'h6'] as const

function drawBlock(token: Token, key: number): ComponentChildren {
  switch (token.type) {
    case 'heading': {
      const { depth, tokens = [] } = token as Tokens.Heading
      const Heading = HEADINGS[Math.min(depth, HEADINGS.length) - 1] ?? 'h6'
      return <Heading key={key}>{drawInline(tokens)}</Heading>
    }
    case 'paragraph':
      return <p key={key}>{drawInline(token.tokens ?? [])}</p>
    case 'code':
      return <Code key={key} text={(token as Tokens.Code).text} />
    case 'blockquote':
      return <blockquote key={key}>{(token.tokens ?? []).map(drawBlock)}</blockquote>
    case 'list':
      return drawList(token as Tokens.List, key)
    case 'table':
      return drawTable(token as Tokens.Table, key)
    case 'hr':
      return <hr key={key} />
    case 'space':
      return null
    default:
      return <p key={key}>{'tokens' in token && token.tokens ? drawInline(token.tokens) : token.raw}</p>
  }
}

function drawList({ ordered, items }: Tokens.List, key: number): ComponentChildren {
  const children = items.map(({ tokens, task, checked }, index) => (
    <li key={index}>
      {task ? `[${checked ? 'x' : ' '}] ` : ''}
      {tokens.map((token, position) => (token.type === 'text' ? drawInline([token]) : drawBlock(token, position)))}
    </li>
  ))
  return ordered ? <ol key={key}>{children}</ol> : <ul key={key}>{children}</ul>
}

function drawTable({ header, rows }: Tokens.Table, key: number): ComponentChildren {
  return (
    <table key={key}>
      <thead>
        <tr>
          {header.map(({ tokens }, index) => (
            <th key={index} scope="col">
              {drawInline(tokens)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            {row.map(({ tokens }, column) => (
              <td key={column}>{drawInline(tokens)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function drawInline(tokens: readonly Token[]): ComponentChildren {
  return tokens.map((token, index) => {
    switch (token.type) {
      case 'strong':
        return <strong key={index}>{drawInline(token.tokens ?? [])}</strong>
      case 'em':
        return <em key={index}>{drawInline(token.tokens ?? [])}</em>
      case 'del':
        return <del key={index}>{drawInline(token.tokens ?? [])}</del>
      case 'codespan':
        return <code key={index}>{(token as Tokens.Codespan).text}</code>
      case 'br':
        return <br key={index} />
      case 'link':
        return (
          <SafeLink key={index} href={(token as Tokens.Link).href}>
            {drawInline(token.tokens ?? [])}
          </SafeLink>
        )
      case 'image':
        return <span key={index}>{(token as Tokens.Image).text}</span>
      case 'text':
      case 'escape':
        return 'tokens' in token && token.tokens ? drawInline(token.tokens) : (token as Tokens.Text).text
      default:
        return token.raw
    }
  })
}
