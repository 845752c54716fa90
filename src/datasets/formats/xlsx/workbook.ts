/** The small parts of an xlsx file around its sheets: content types, relations, and the bold header style. */

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const packages = 'http://schemas.openxmlformats.org/package/2006'
const documents = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

export const sheetPath = (index: number): string => `xl/worksheets/sheet${index + 1}.xml`

export const sheetStart = `${declaration}<worksheet xmlns="${main}"><sheetData>`
export const sheetEnd = '</sheetData></worksheet>'

/** Path and text of every part but the sheets. */
export function writeParts(sheetCount: number): [string, string][] {
  const indexes = Array.from({ length: sheetCount }, (_, i) => i)
  const sheets = indexes.map((i) => `<sheet name="Sheet${i + 1}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`)
  const links = indexes.map((i) => link(`rId${i + 1}`, `${documents}/worksheet`, `worksheets/sheet${i + 1}.xml`))
  const parts = indexes.map((i) => override(sheetPath(i), 'worksheet'))
  return [
    [
      '[Content_Types].xml',
      `${declaration}<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${override('xl/workbook.xml', 'sheet.main')}${override('xl/styles.xml', 'styles')}${parts.join('')}</Types>`,
    ],
    ['_rels/.rels', linkList(link('rId1', `${documents}/officeDocument`, 'xl/workbook.xml'))],
    [
      'xl/workbook.xml',
      `${declaration}<workbook xmlns="${main}" xmlns:r="${documents}"><sheets>${sheets.join('')}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      linkList(links.join('') + link(`rId${sheetCount + 1}`, `${documents}/styles`, 'styles.xml')),
    ],
    ['xl/styles.xml', styles],
  ]
}

const override = (path: string, type: string) => `<Override PartName="/${path}" ContentType="${types}.${type}+xml"/>`

const link = (id: string, type: string, target: string) =>
  `<Relationship Id="${id}" Type="${type}" Target="${target}"/>`

const linkList = (links: string) =>
  `${declaration}<Relationships xmlns="${packages}/relationships">${links}</Relationships>`

/** Style 1 is the header's. */
const styles = `${declaration}<styleSheet xmlns="${main}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`
