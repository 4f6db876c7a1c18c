/** Endings of inflected words, longest first, by language; what is left has at least `keep` letters. */
const ROMANCE = {
  keep: 3,
  endings: (
    'amientos imientos amiento imiento aciones azioni azione issement ements ement acion ations ation acoes acao ' +
    'adoras adores adora ador andosi andose iendo ando endo antes ante euses euse eurs eur atrice ' +
    'adas ados ada ado idas idos ida ido ate ati ata ato ees iez ions ons ent ez ' +
    'are ere ire arlo rlo arme ar er ir re as os es is us ao oes an en em ee a o e i s x u'
  ).split(' '),
}
const GERMANIC = {
  keep: 4,
  endings: 'ierungen ierung ungen ung ieren ierte iert ern est ten tet em en er es te st e n s t'.split(' '),
}
const SLAVIC = {
  keep: 3,
  endings: (
    'иями ениями ения ение ений ению ении ться ами ями ого его ому ему ыми ими ать ять ить еть уть ешь ишь ает ует ите ' +
    'йте ай уй ая яя ое ее ые ие ый ий ой ую юю ых их ов ев ей ам ям ах ях ом ем ть ия ии ию а я о е ы и у ю ь й'
  ).split(' '),
}
const BY_LANGUAGE: Readonly<Record<string, { keep: number; endings: readonly string[] }>> = {
  ...{ es: ROMANCE, pt: ROMANCE, it: ROMANCE, fr: ROMANCE, de: GERMANIC, ru: SLAVIC },
}

/** The word without its inflection, good enough to look it up. */
export function lightStem(word: string, language: string): string {
  const rules = BY_LANGUAGE[language]
  if (rules === undefined) return word
  const ending = rules.endings.find((end) => word.length - end.length >= rules.keep && word.endsWith(end))
  return ending === undefined ? word : word.slice(0, -ending.length)
}

/** The same for the words of a phrase. */
export function stemPhrase(phrase: string, language: string): string {
  if (!phrase.includes(' ')) return lightStem(phrase, language)
  return phrase
    .split(' ')
    .map((word) => lightStem(word, language))
    .join(' ')
}

/** Is the language written in words that change their endings? */
export function isInflected(language: string): boolean {
  return language in BY_LANGUAGE
}
