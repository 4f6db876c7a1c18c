export type { GroupedToolUse } from '../contract/tool/views.js'
export {
  block,
  code,
  collapsible,
  diff,
  fields,
  fileLink,
  image,
  inline,
  link,
  list,
  markdown,
  progress,
  table,
  text,
} from '../contract/view-builders.js'
export type {
  CodeView,
  CollapsibleView,
  DiffHunk,
  DiffView,
  FieldsView,
  GroupView,
  ImageView,
  LinkView,
  ListView,
  MarkdownView,
  ProgressView,
  TableView,
  TextView,
  ViewNode,
  ViewTone,
} from '../contract/views.js'
export {
  type CallDescription,
  type CallFacts,
  type CallState,
  describeCall,
  describeGroup,
  searchTextOf,
} from '../views/call-view.js'
export { MarkdownStream } from '../views/markdown-stream.js'
export { renderPlainText } from '../views/plain-text.js'
export { prepareView, type RenderOptions, renderView } from '../views/render-view.js'
export type { DiffTone, SpanStyle, StyledLine, StyledSpan, SyntaxTone } from '../views/styled-line.js'
export { truncate, widthOf } from '../views/text-width.js'
export { chooseTheme, THEME_NAMES, type Theme, type ThemeName, type ThemeRequest } from '../views/themes.js'
export { toAnsi } from '../views/to-ansi.js'
export { wrapLines } from '../views/wrap-lines.js'
