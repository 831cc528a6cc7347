/** Figures and outside text as a frame's renderings show them. */

/** E4 as a decimal with two places, or four where they are needed. */
export function priceText(e4: number | null): string {
  if (e4 === null) return '-';
  const sign = e4 < 0 ? '-' : '';
  const magnitude = Math.abs(e4);
  const part = String(magnitude % 10_000).padStart(4, '0');
  return `${sign}${Math.floor(magnitude / 10_000)}.${part.endsWith('00') ? part.slice(0, 2) : part}`;
}

export const signed = (n: number | null): string => (n === null ? '-' : n > 0 ? `+${n}` : String(n));

/** A condition as it may stand in a rendering: comparison signs stay, since no tag begins with a blank or `=`. */
export function conditionText(text: string): string {
  return shownText(text).replace(/\\u003([ce])(?=[ =])/g, (_, sign: string) => (sign === 'c' ? '<' : '>'));
}

/** How far a series was from where it should be: money as prices are shown, else six digits and the unit. */
export function amountText(distance: number, unit: string): string {
  if (unit === 'E4') return priceText(Math.round(distance));
  return `${Number(distance.toPrecision(6))}${unit === '' ? '' : ` ${shownText(unit)}`}`;
}

/** Text as it may stand between tags. */
export function markupText(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

/** R without the zeros that say nothing. */
export const rText = (r: string): string => `${shownText(r.includes('.') ? r.replace(/\.?0+$/, '') : r)}R`;

/**
 * Text that others wrote, as it may stand in a rendering: one line, nothing that ends a fence, begins markup or moves a
 * cursor.
 */
export function shownText(text: string): string {
  return text
    .replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, ' ')
    .replace(/[`<>|]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
