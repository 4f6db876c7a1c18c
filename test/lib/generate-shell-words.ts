// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are bash
/** Generates random bash scripts from a seed. Some contain syntax that the analysis does not understand. */
export class ShellScriptGenerator {
  private state: number
  /** The words of the last script. */
  words: string[] = []

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  /**
   * Returns a script that calls only the functions `p` (prints its arguments), `h` (prints its input) and `run` (runs its
   * argument as a script), as far as the shell reads it as intended.
   */
  generateScript(depth = 0): string {
    const roll = this.random()
    if (roll < 0.62) return this.generateCommand(depth)
    if (roll < 0.72) return this.generateHereDocument()
    if (roll < 0.78) return `h <<< ${this.generateWord()}`
    if (roll < 0.84 && depth < 2) return `run ${this.quote(this.generateScript(depth + 1))}`
    const separator = this.pick([
      '; ',
      ';',
      '\n',
      ' && ',
      ' &&\n',
      ' # note\n',
      " # it's\n",
      '\n\n',
      ' \\\n; ',
      '\n# x $(p y)\n',
    ])
    return this.generateCommand(depth) + separator + this.generateScript(depth + 1)
  }

  private generateCommand(depth: number): string {
    const words = Array.from({ length: 1 + Math.floor(this.random() * 3) }, () => this.generateWord())
    const text = ['p', ...words].join(this.pick([' ', ' ', ' ', '  ', '\t', ' \\\n', ' \\\n ']))
    const roll = this.random()
    if (roll < 0.02) return `{ ${text}; }`
    if (roll < 0.04) return `if p 1; then ${text}; fi`
    if (roll < 0.05)
      return `if [[ ${this.pick(['-n a', 'a == a', '! -f x', 'a = a && b != a', 'abc =~ ^(a|b)'])} ]]; then ${text}; fi`
    if (roll < 0.06) return `! ! ${text}`
    if (roll < 0.07) return `v=${this.generateWord()} ${text}`
    if (roll < 0.08) return `case x in ${this.pick(['x', '(x', 'y|x', '"x"'])}) ${text};; esac`
    if (roll < 0.085) return `for i in 1 2; do ${text}; done`
    if (roll < 0.09) return `((1)) && ${text}`
    if (roll < 0.1) return `${text} 2>/dev/null`
    if (roll < 0.105) return `${text} ${this.generateScript(depth + 1)}`
    return text
  }

  private generateHereDocument(): string {
    const [writtenText, name] = this.pick([
      ['E', 'E'],
      ["'E'", 'E'],
      ['"E"', 'E'],
      ['\\E', 'E'],
      ['E.O-F', 'E.O-F'],
      ["E''", 'E'],
      ["'E F'", 'E F'],
    ])
    const operator = this.pick(['<<', '<<', '<<-', '<< '])
    const lines = Array.from({ length: Math.floor(this.random() * 4) }, () => this.generateHereDocumentLine())
    const tab = operator === '<<-' && this.random() < 0.5 ? '\t' : ''
    const after = this.random() < 0.3 ? `\n${this.generateCommand(2)}` : this.random() < 0.5 ? '\n' : ''
    const tail = this.random() < 0.2 ? `; ${this.generateCommand(2)}` : ''
    return `h ${operator}${writtenText}${tail}\n${lines.map((line) => `${line}\n`).join('')}${tab}${name}${after}`
  }

  private generateHereDocumentLine(): string {
    const count = Math.floor(this.random() * 4)
    return Array.from({ length: count }, () =>
      this.random() < 0.5 ? this.pickPlainPiece() : this.pick(HERE_DOCUMENT_PIECES),
    ).join('')
  }

  private generateWord(): string {
    const count = 1 + Math.floor(this.random() ** 2 * 4)
    const word = Array.from({ length: count }, () => this.generatePiece()).join('')
    this.words.push(word)
    return word
  }

  private generatePiece(): string {
    const roll = this.random()
    if (roll < 0.34) return this.pickPlainPiece()
    if (roll < 0.44) return `'${this.generateContent(SINGLE_QUOTED_PARTS)}'`
    if (roll < 0.6) return `"${this.generateContent(DOUBLE_QUOTED_PIECES)}"`
    if (roll < 0.68) return `$'${this.generateContent(this.random() < 0.9 ? ANSI_C_PIECES : ODD_ANSI_C)}'`
    if (roll < 0.76) return this.pick(ESCAPE_PIECES)
    if (roll < 0.86) return this.generateBraces(0)
    if (roll < 0.97) return this.pick(this.random() < 0.8 ? EXPANSION_PIECES : ODD_EXPANSIONS)
    return this.pick(ODD_PIECES)
  }

  private generateBraces(depth: number): string {
    if (this.random() < 0.3) return this.pick(BRACE_SERIES)
    const count = 1 + Math.floor(this.random() * 3)
    const elements = Array.from({ length: count }, () => {
      const roll = this.random()
      if (roll < 0.15) return ''
      if (roll < 0.25 && depth < 2) return this.generateBraces(depth + 1)
      return roll < 0.4 ? this.pick(["'b c'", '"d,e"', '\\,', '\\}', '$x', '{}', '"$x"']) : this.pickPlainPiece()
    })
    return `{${elements.join(',')}${this.random() < 0.95 ? '}' : ''}`
  }

  private generateContent(pieces: readonly string[]): string {
    const count = Math.floor(this.random() * 5)
    return Array.from({ length: count }, () => (this.random() < 0.5 ? this.pickPlainPiece() : this.pick(pieces))).join(
      '',
    )
  }

  private pickPlainPiece(): string {
    return this.pick(PLAIN_PIECES)
  }

  /** Quotes a script as one word, in one of several ways. */
  private quote(text: string): string {
    const roll = this.random()
    if (roll < 0.4) return `'${text.replaceAll("'", "'\\''")}'`
    if (roll < 0.7) return `"${text.replace(/[\\"$`]/g, '\\$&')}"`
    return `$'${text.replace(/[\\']/g, '\\$&')}'`
  }

  private pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.random() * list.length)] as T
  }

  /** Returns a number from 0 up to, but not including, 1 (Mulberry32). */
  private random(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let value = this.state
    value = Math.imul(value ^ (value >>> 15), value | 1)
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61)
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296
  }
}

const PLAIN_PIECES =
  'a b x1 -o -- - = A=b : . .. / ../x ~ ~/y %s @ + ^ _ é 日本 --x=y -n 0 12 ! # a#b v=~ a:~ a.b ] [ , } 🙂'.split(' ')
const SINGLE_QUOTED_PARTS = ['\\', '"', '$x', '`', '\n', ' ', '{a,b}', '*', '~', '\t', '\r', '!']
const DOUBLE_QUOTED_PIECES = split(
  "\\\\ \\\" \\$ \\` \\\n \\a \\n ' $ $x ${x} {a,b} * ~ ! $'a' ${x:-y} ${#x} $((1+2)) `echo` \\! ${x%a} $1 $# ${x/a/b} <(a) \r #",
)
const ANSI_C_PIECES = split(
  '\\n \\t \\\\ \\\' \\" \\x2d \\055 \\5 \\u002d \\u2d \\U0000002d \\e \\? \\a \\E \\\n " $x ` {a,b} \\x41g \\1012 \\r',
)
const ODD_ANSI_C = split(
  '\\x{2d} \\x{2 \\cA \\c \\z \\x \\xg \\0 \\00 \\x00 \\x80 \\xff \\u00e9 \\777 \\8 \\` \\$ \\u \\- \\x7f \\x01 \\{',
)
const ESCAPE_PIECES = [
  ...split('\\a \\\' \\" \\$ \\\\ \\\n \\; \\& \\| \\( \\) \\< \\~ \\{ \\, \\* \\# \\é \\! \\='),
  '\\ ',
  '\\\t',
]
const EXPANSION_PIECES = split(
  '$x ${x} $y $? $# $@ $* $1 ${1} ${x:-a} ${#x} ${x%b} ${x##*a} ${x/a/b} $ ${x^^} ${x:0:1} ${x:-$y} ${x//a} $((1+2)) * ? [a] [!a]* ' +
    '$"" $"a" $x{a,b} ${x}y $- $0 ${y-} ${x@Q} $_z [ a[0] *.{a,b}',
)
const ODD_EXPANSIONS = [
  ...split("${x:-'q'} $[1+2] ${x:-{a,b}} ${x:-\\}} $(echo) `echo`"),
  '${x:-"q r"}',
  '${x:+b c}',
  '$(( (1) * 2 ))',
]
const ODD_PIECES = [
  ...split(
    '$\\\n \\\n \r \x0b \x01 \u00a0 \u3000 <(:) @(a) !(a) " \' $( ` ${ $(( ) 2>/dev/null <( { {a ,b} (a) !! !$ $\' $"',
  ),
  ...[
    '$(echo a)',
    '`echo b`',
    '$(echo "c d")',
    '$(echo `echo e`)',
    '`echo \\`echo f\\``',
    '$(case x in x) echo y;; esac)',
  ],
  ...['$(echo a # )\n)', '${x\n}'],
]
const BRACE_SERIES = [
  ...split(
    '{1..3} {3..1} {a..c} {c..a} {1..9..3} {01..03} {A..C} {1..a} {-1..1} {1..3..0} {1..} {..3} {1..2}.. {1...3} {a..c..2}',
  ),
  ...split(
    '{5..1..2} {5..1..-2} {} {a} {,} {a,b}{c,d} {{a,b},c} {a,{b,c}} {a{b,c}} x@{1} {0..2} {-0..1} {+1..3} {1..200}',
  ),
  ...['{ a,b}', '{a, b}'],
]
const HERE_DOCUMENT_PIECES = [
  ...split(
    '$x ${x} \\$x \\\\ \\` \\" \\a " \' $ \\$(p) `echo` ${x:-y} $((1+1)) \t \\ $\'a\' $"a" {a,b} * ~ # \\\\$x E <<F',
  ),
  ...split('${x:-"y"} ${x:-\'y\'} \r \\$ \\\\\\$x $[1] ${#x}'),
  ...[' ', '$ ', '$(echo a)', '\\$(p y)'],
]

function split(texts: string): readonly string[] {
  return texts.split(' ')
}
