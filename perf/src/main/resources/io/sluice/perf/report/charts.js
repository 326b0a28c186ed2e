'use strict';
// Draws the page's charts with Apache ECharts. Colours are variables of the style sheet, so that dark screens and paper need nothing else.

/** As Numbers.plain writes them: 0.5, 20 k, 1.5 M. */
const plain = value => {
  const [unit, name] = [[1e9, ' G'], [1e6, ' M'], [1e4, ' k']].find(([least]) => Math.abs(value) >= least) ?? [1, ''];
  return (value / (unit === 1e4 ? 1e3 : unit)).toLocaleString('en', {maximumSignificantDigits: 3}) + name;
};
const nines = percentile => -Math.log10(1 - percentile / 100);
const percentile = nines => String(+(100 - 10 ** (2 - nines)).toFixed(Math.max(0, Math.ceil(nines - 1e-9) - 1)));

const scales = {
  LINEAR: {type: 'value', read: value => value, write: plain},
  LOG: {type: 'log', read: value => (value > 0 ? value : null), write: plain},
  PERCENTILE: {type: 'value', read: nines, write: percentile},
};

function axis({scale, title}, last) {
  return {
    type: scales[scale].type,
    name: title,
    nameTextStyle: {color: 'var(--quiet)', fontSize: 11},
    min: scale === 'LINEAR' ? 0 : undefined,
    max: last,
    interval: scale === 'PERCENTILE' ? 1 : undefined,
    axisLabel: {formatter: value => scales[scale].write(value), color: 'var(--quiet)', fontSize: 11, hideOverlap: true},
    axisLine: {show: false},
    axisTick: {show: false},
    splitLine: {lineStyle: {color: 'var(--rule)'}},
    minorSplitLine: {show: scale === 'LOG', lineStyle: {color: 'var(--rule)', opacity: 0.5}},
    axisPointer: {label: {formatter: ({value}) => scales[scale].write(value)}},
  };
}

/** The options of ECharts for a chart as Chart.java writes it. */
function options({x, y, lines}) {
  const point = ([px, py, low, high, text]) => ({value: [scales[x.scale].read(px), scales[y.scale].read(py)], low, high, text});
  const read = lines.map(line => ({...line, points: line.points.map(point)}));
  const last = Math.max(...read.flatMap(line => line.points.map(({value}) => value[0])));
  return {
    animation: false,
    grid: {left: 8, right: 24, top: 28, bottom: 24, containLabel: true},
    xAxis: {...axis(x, lines[0].marked ? undefined : last), nameLocation: 'middle', nameGap: 24},
    yAxis: {...axis(y), nameTextStyle: {align: 'left', color: 'var(--quiet)', fontSize: 11}},
    tooltip: {
      trigger: lines[0].marked ? 'item' : 'axis',
      confine: true,
      backgroundColor: 'var(--paper)',
      textStyle: {color: 'var(--text)', fontSize: 12},
      formatter: lines[0].marked ? ({data}) => echarts.format.encodeHTML(data.text) : undefined,
      valueFormatter: value => (value === null || value === undefined ? '—' : plain(value)),
    },
    series: read.flatMap((line, index) => {
      const style = {color: line.color, width: 1.8, type: line.dashed ? 'dashed' : 'solid'};
      // on a line of many points five are marked, each line's at other places: lines that coincide still show who is there
      const step = Math.ceil(line.points.length / 5);
      const marked = i => line.marked || step === 1 || i % step === Math.floor(step * (index % 5 + 0.5) / 5);
      const whiskers = line.points.flatMap(({value: [at], low, high}) => (low < high ? [[at, low], [at, high], [at, null]] : []));
      return [
        {
          type: 'line',
          name: line.name,
          symbol: 'path://' + line.symbol,
          symbolSize: (_, {dataIndex}) => (marked(dataIndex) ? 9 : 0),
          showAllSymbol: true,
          lineStyle: style,
          itemStyle: {color: line.color, borderColor: 'var(--paper)', borderWidth: 0.8},
          emphasis: {disabled: true},
          data: line.points,
        },
        ...(whiskers.length > 0
          ? [{type: 'line', silent: true, symbol: 'none', lineStyle: {...style, width: 1.2, type: 'solid'}, data: whiskers}]
          : []),
      ];
    }),
  };
}

if (typeof document !== 'undefined') {
  for (const place of document.querySelectorAll('figure > div')) {
    const chart = echarts.init(place, null, {renderer: 'svg'});
    chart.on('rendered', () => {
      const svg = place.querySelector('svg'); // on paper it is as wide as its column
      svg.setAttribute('viewBox', `0 0 ${svg.getAttribute('width')} ${svg.getAttribute('height')}`);
    });
    chart.setOption(options(JSON.parse(place.nextElementSibling.textContent)));
    new ResizeObserver(() => chart.resize()).observe(place);
  }
}
