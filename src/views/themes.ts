import type { DiffTone, SpanStyle } from './styled-line.js'

/** The colours of a theme: the SGR parameters of each tone. */
export interface Theme {
  readonly name: ThemeName
  /** Whether there are no colours and attributes, for `NO_COLOR` and dumb terminals. */
  readonly isPlain: boolean
  readonly tones: Readonly<Partial<Record<NonNullable<SpanStyle['tone']>, string>>>
  readonly backgrounds: Readonly<Partial<Record<DiffTone, string>>>
  /** Whether text on these backgrounds keeps its colour; on strong ones it would be hard to read. */
  readonly hasTonesOnBackgrounds: boolean
  /** Whether links are written as OSC 8. */
  readonly hasHyperlinks: boolean
}

/** The themes that the user can choose. */
export const THEME_NAMES = ['dark', 'light', 'colour-blind', 'high-contrast', '16-colours', 'none'] as const
/** The name of a theme. `none` has no colours. */
export type ThemeName = (typeof THEME_NAMES)[number]

/** The input of `chooseTheme`. */
export interface ThemeRequest {
  /** The user's choice. If left out, `dark` or `light` according to the background of the terminal. */
  readonly name?: ThemeName | undefined
  /** The background, if the terminal reported it. The default is taken from `COLORFGBG`, or else dark. */
  readonly background?: 'light' | 'dark' | undefined
  /** Environment variables: `NO_COLOR`, `TERM`, `COLORTERM`, `COLORFGBG` and those that name the terminal. */
  readonly variables: Readonly<Record<string, string | undefined>>
}

/** Selects the theme. `NO_COLOR` and `TERM=dumb` take precedence over the name. */
export function chooseTheme({ name, background, variables }: ThemeRequest): Theme {
  if ((variables.NO_COLOR ?? '') !== '' || variables.TERM === 'dumb' || name === 'none') return PLAIN_THEME
  const isLight = (background ?? backgroundOf(variables)) === 'light'
  const chosenName = name ?? (isLight ? 'light' : 'dark')
  const palette = selectPalette(hasManyColours(variables) ? chosenName : '16-colours', isLight)
  const softBackgrounds = /truecolor|24bit/.test(variables.COLORTERM ?? '') ? palette.softBackgrounds : undefined
  return {
    name: chosenName,
    isPlain: false,
    tones: palette.tones,
    backgrounds: softBackgrounds ?? palette.backgrounds,
    hasTonesOnBackgrounds: palette.softBackgrounds === undefined || softBackgrounds !== undefined,
    hasHyperlinks: supportsHyperlinks(variables),
  }
}

const PLAIN_THEME: Theme = {
  name: 'none',
  isPlain: true,
  tones: {},
  backgrounds: {},
  hasTonesOnBackgrounds: true,
  hasHyperlinks: false,
}

interface Palette extends Pick<Theme, 'tones' | 'backgrounds'> {
  /** For true-colour terminals: the 256-colour palette has no dark green or red on which text is easy to read. */
  readonly softBackgrounds?: Theme['backgrounds']
}

function selectPalette(name: ThemeName, isLight: boolean): Palette {
  if (name === '16-colours') return SIXTEEN_COLOURS
  if (name === 'colour-blind') return isLight ? LIGHT_COLOUR_BLIND : DARK_COLOUR_BLIND
  if (name === 'high-contrast') return isLight ? LIGHT_HIGH_CONTRAST : DARK_HIGH_CONTRAST
  return name === 'light' ? LIGHT : DARK
}

/** Returns the SGR parameters for a colour of the 256-colour palette. */
const toForeground = (index: number) => `38;5;${index}`
const background = (index: number) => `48;5;${index}`
const softBackground = (red: number, green: number, blue: number) => `48;2;${red};${green};${blue}`

/** Highlighted code changes its colour with every word, so these sequences are short. */
const SYNTAX_TONES = { keyword: '35', string: '32', number: '33', comment: '90', name: '34', type: '36' } as const

const DARK: Palette = {
  tones: {
    muted: toForeground(245),
    accent: toForeground(75),
    success: toForeground(114),
    warning: toForeground(179),
    error: toForeground(203),
    path: toForeground(110),
    match: `1;${toForeground(215)}`,
    ...SYNTAX_TONES,
    name: '94',
    added: toForeground(114),
    removed: toForeground(203),
  },
  backgrounds: { added: background(22), removed: background(52) },
  softBackgrounds: { added: softBackground(18, 53, 31), removed: softBackground(69, 25, 28) },
}

const LIGHT: Palette = {
  tones: {
    muted: toForeground(242),
    accent: toForeground(25),
    success: toForeground(28),
    warning: toForeground(130),
    error: toForeground(160),
    path: toForeground(24),
    match: `1;${toForeground(130)}`,
    ...SYNTAX_TONES,
    number: toForeground(130),
    added: toForeground(28),
    removed: toForeground(160),
  },
  backgrounds: { added: background(194), removed: background(224) },
}

/** Blue and orange can be distinguished with all common kinds of colour blindness; red and green cannot. */
const DARK_COLOUR_BLIND: Palette = {
  tones: {
    ...DARK.tones,
    success: toForeground(75),
    error: toForeground(214),
    string: '96',
    added: toForeground(75),
    removed: toForeground(214),
  },
  backgrounds: { added: background(17), removed: background(94) },
  softBackgrounds: { added: softBackground(16, 38, 74), removed: softBackground(74, 46, 10) },
}

const LIGHT_COLOUR_BLIND: Palette = {
  tones: {
    ...LIGHT.tones,
    success: toForeground(25),
    error: toForeground(130),
    string: '36',
    added: toForeground(25),
    removed: toForeground(130),
  },
  backgrounds: { added: background(189), removed: background(223) },
}

const DARK_HIGH_CONTRAST: Palette = {
  tones: {
    muted: toForeground(252),
    accent: `1;${toForeground(51)}`,
    success: `1;${toForeground(46)}`,
    warning: `1;${toForeground(226)}`,
    error: `1;${toForeground(210)}`,
    path: `4;${toForeground(231)}`,
    match: '1;7',
    keyword: toForeground(219),
    string: toForeground(157),
    number: toForeground(229),
    comment: toForeground(252),
    name: toForeground(159),
    type: toForeground(159),
    added: `1;${toForeground(46)}`,
    removed: `1;${toForeground(210)}`,
  },
  backgrounds: {},
}

const LIGHT_HIGH_CONTRAST: Palette = {
  tones: {
    muted: toForeground(236),
    accent: `1;${toForeground(18)}`,
    success: `1;${toForeground(22)}`,
    warning: `1;${toForeground(52)}`,
    error: `1;${toForeground(88)}`,
    path: `4;${toForeground(16)}`,
    match: '1;7',
    keyword: toForeground(53),
    string: toForeground(22),
    number: toForeground(52),
    comment: toForeground(236),
    name: toForeground(18),
    type: toForeground(18),
    added: `1;${toForeground(22)}`,
    removed: `1;${toForeground(88)}`,
  },
  backgrounds: {},
}

/** The palette of the terminal, as the user has configured it. */
const SIXTEEN_COLOURS: Palette = {
  tones: {
    muted: '90',
    accent: '36',
    success: '32',
    warning: '33',
    error: '31',
    path: '36',
    match: '1;33',
    ...SYNTAX_TONES,
    added: '32',
    removed: '31',
  },
  backgrounds: {},
}

/** Reads the background from `COLORFGBG`, which is `15;0` or `0;default;15`: the last number is the background. */
function backgroundOf({ COLORFGBG }: ThemeRequest['variables']): 'light' | 'dark' {
  const colour = Number(COLORFGBG?.split(';').at(-1) ?? Number.NaN)
  return colour === 7 || (colour >= 9 && colour <= 15) ? 'light' : 'dark'
}

function hasManyColours({ TERM = '', COLORTERM = '', WT_SESSION }: ThemeRequest['variables']): boolean {
  return COLORTERM !== '' || WT_SESSION !== undefined || /256|direct|kitty|ghostty|alacritty|wezterm|foot/.test(TERM)
}

/** Whether links can be written as OSC 8. Terminals that do not know it usually ignore it, but a few old ones print it. */
function supportsHyperlinks(variables: ThemeRequest['variables']): boolean {
  const { TERM = '', TERM_PROGRAM = '', VTE_VERSION, WT_SESSION, KONSOLE_VERSION } = variables
  if (/^(?:linux|screen|vt\d+)/.test(TERM) && variables.TMUX === undefined) return false
  if (Number(VTE_VERSION ?? 0) >= 5_000 || WT_SESSION !== undefined || KONSOLE_VERSION !== undefined) return true
  return (
    /iTerm|WezTerm|vscode|ghostty|Hyper|Tabby|rio|zed/i.test(TERM_PROGRAM) || /kitty|ghostty|alacritty|foot/.test(TERM)
  )
}
