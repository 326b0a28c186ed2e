// Draws the charts of a page as a browser does, and prints for each, as a line of JSON, what DrawnCharts.Drawn has.
const fs = require('fs');
const vm = require('vm');

const page = fs.readFileSync(process.argv[2], 'utf8');
const scripts = [...page.matchAll(/<script>([^]*?)<\/script>/g)].map(([, script]) => script);
scripts.forEach(script => vm.runInThisContext(script));
for (const [, json] of page.matchAll(/<script type="application\/json">([^]*?)<\/script>/g)) {
  const chart = JSON.parse(json);
  const drawing = echarts.init(null, null, {renderer: 'svg', ssr: true, width: 420, height: 240});
  const option = options(chart);
  drawing.setOption(option);
  const svg = drawing.renderToSVGString();
  drawing.dispose();
  const texts = [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text);
  const paths = [...svg.matchAll(/<path d="([^"]*)" fill="none" stroke="([^"]*)"/g)];
  const drawn = chart.lines.map(({color}) => paths.filter(([, , stroke]) => stroke === color).flatMap(([, d]) => d.match(/M/g)).length);
  const tip = option.tooltip.formatter?.({data: option.series[0].data[0]}) ?? '';
  console.log(JSON.stringify({title: chart.title, texts, drawn, tip, broken: /NaN|undefined|Infinity/.test(svg)}));
}
