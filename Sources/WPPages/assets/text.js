// What the page says, in English and Chinese.

const english = {
    "skip": "Skip to the content", "metrics": "Metrics", "health": "Health", "loading": "Loading…",
    "updated": "Updated {0}", "age": "{0} ago", "now": "just now",
    "failing": "The server does not answer ({0}). These are the values of {1}.",
    "refused": "The server asks for credentials: reload the page and log in.",
    "no-api": "This server keeps no history, so there is nothing to draw. Its numbers are at /metrics.",
    "zone-local": "Local time", "zone-utc": "UTC", "zone-title": "Times are in {0}. Press to change.",
    "theme-auto": "Theme: system", "theme-dark": "Theme: dark", "theme-light": "Theme: light",
    "ups": "UPSes", "nodes": "Nodes", "node": "Node", "devices-none": "No UPS has been read yet.",
    "filter": "Search", "filter-none": "Nothing matches “{0}”.", "shown": "{0} of {1}", "state": "State", "all": "All",
    "online": "Online", "stale": "Stale", "offline": "Offline", "disconnected": "Disconnected",
    "alarm": "Alarm", "alarms": "Alarms", "on-battery": "On battery",
    "total-load": "Load", "total-energy": "Energy",
    "mode": "Mode", "mode-line": "Line", "mode-battery": "Battery", "mode-bypass": "Bypass", "mode-standby": "Standby",
    "mode-fault": "Fault", "mode-powerOn": "Powering on", "mode-batteryTest": "Battery test", "mode-unknown": "Unknown",
    "load": "Load", "battery": "Battery", "charging": "charging", "discharging": "discharging", "runtime": "Runtime",
    "input": "Input", "output": "Output", "temperature": "Temperature", "model": "Model", "firmware": "Firmware", "site": "Site",
    "rating": "Rating", "fault": "Fault", "last-seen": "Last seen", "read-at": "Read at", "phases": "Phases", "phase": "Phase",
    "energy": "Energy", "today": "Today", "month": "This month", "cost": "Cost", "day": "Day", "energy-days": "Energy by day",
    "cpu": "CPU", "cores": "Cores", "memory": "Memory", "swap": "Swap", "disk": "Disk", "disks": "Disks", "network": "Network",
    "networks": "Networks", "load-average": "Load average", "processes": "Processes", "uptime": "Uptime", "kernel": "Kernel",
    "received": "Received", "sent": "Sent", "read": "Read", "written": "Written", "size": "Size", "used": "Used",
    "mount": "Mounted at", "interface": "Interface", "address": "Address",
    "pid": "PID", "name": "Name", "user": "User", "threads": "Threads", "status": "State", "sensor": "Sensor",
    "sensors": "Temperatures",
    "history": "History", "range": "Range", "24h": "24 hours", "7d": "7 days", "30d": "30 days", "custom": "Chosen range",
    "back": "All devices", "previous": "Earlier", "next": "Later", "widen": "Zoom out", "csv": "CSV", "png": "PNG", "table": "Table",
    "time": "Time", "minimum": "Minimum", "maximum": "Maximum",
    "chart": "chart", "chart-keys": "Arrow keys step, Shift by ten, Home and End go to the ends, Escape leaves, plus and minus zoom.",
    "chart-empty": "There is no history of this range.", "chart-failed": "The history could not be read: {0}",
    "between": "{0} to {1}", "lowest": "lowest {0}, highest {1}", "bytes-base": "KiB and MiB: base 1024",
    "load-percent": "Load", "load-watts": "Power", "battery-percent": "Charge", "battery-runtime": "Runtime",
    "input-volts": "Input voltage", "output-volts": "Output voltage", "battery-volts": "Battery voltage", "not-found": "There is no {0} here.",
};

const chinese = {
    "skip": "跳到正文", "metrics": "指标", "health": "健康", "loading": "加载中…",
    "updated": "{0}更新", "age": "{0}前", "now": "刚刚",
    "failing": "服务器没有响应（{0}）。显示的是{1}的数值。",
    "refused": "服务器要求凭据：请重新加载页面并登录。",
    "no-api": "此服务器不保存历史，没有可绘制的内容。数值在 /metrics。",
    "zone-local": "本地时间", "zone-utc": "UTC", "zone-title": "时间以{0}显示，按下可切换。",
    "theme-auto": "主题：系统", "theme-dark": "主题：深色", "theme-light": "主题：浅色",
    "ups": "UPS", "nodes": "节点", "node": "节点", "devices-none": "还没有读到任何 UPS。",
    "filter": "搜索", "filter-none": "没有与“{0}”匹配的项。", "shown": "{0} / {1}", "state": "状态", "all": "全部",
    "online": "在线", "stale": "数据陈旧", "offline": "离线", "disconnected": "未连接",
    "alarm": "告警", "alarms": "告警", "on-battery": "电池供电",
    "total-load": "负载", "total-energy": "电能",
    "mode": "模式", "mode-line": "市电", "mode-battery": "电池", "mode-bypass": "旁路", "mode-standby": "待机",
    "mode-fault": "故障", "mode-powerOn": "启动中", "mode-batteryTest": "电池测试", "mode-unknown": "未知",
    "load": "负载", "battery": "电池", "charging": "充电", "discharging": "放电", "runtime": "剩余时间",
    "input": "输入", "output": "输出", "temperature": "温度", "model": "型号", "firmware": "固件", "site": "站点",
    "rating": "额定", "fault": "故障", "last-seen": "最后出现", "read-at": "读取时间", "phases": "各相", "phase": "相",
    "energy": "电能", "today": "今天", "month": "本月", "cost": "费用", "day": "日期", "energy-days": "每日电能",
    "cpu": "CPU", "cores": "核心", "memory": "内存", "swap": "交换区", "disk": "磁盘", "disks": "磁盘", "network": "网络",
    "networks": "网络", "load-average": "平均负载", "processes": "进程", "uptime": "运行时间", "kernel": "内核",
    "received": "接收", "sent": "发送", "read": "读取", "written": "写入", "size": "容量", "used": "已用",
    "mount": "挂载点", "interface": "接口", "address": "地址",
    "pid": "PID", "name": "名称", "user": "用户", "threads": "线程", "status": "状态", "sensor": "传感器",
    "sensors": "温度",
    "history": "历史", "range": "范围", "24h": "24 小时", "7d": "7 天", "30d": "30 天", "custom": "所选范围",
    "back": "全部设备", "previous": "更早", "next": "更晚", "widen": "缩小", "csv": "CSV", "png": "PNG", "table": "表格",
    "time": "时间", "minimum": "最小", "maximum": "最大",
    "chart": "图表", "chart-keys": "方向键移动，按住 Shift 每次十步，Home 和 End 到两端，Esc 离开，加减号缩放。",
    "chart-empty": "这个范围没有历史。", "chart-failed": "无法读取历史：{0}",
    "between": "{0} 至 {1}", "lowest": "最低 {0}，最高 {1}", "bytes-base": "KiB、MiB 以 1024 为基",
    "load-percent": "负载", "load-watts": "功率", "battery-percent": "电量", "battery-runtime": "剩余时间",
    "input-volts": "输入电压", "output-volts": "输出电压", "battery-volts": "电池电压", "not-found": "这里没有{0}。",
};

const asked = new URLSearchParams(location.search).get("lang");
const wished = asked ? [asked] : navigator.languages ?? [navigator.language];
const first = wished.find((tag) => /^(en|zh)\b/i.test(tag)) ?? "en";

/** The language of the page: `zh-CN` or the browser's English. */
export const language = /^zh/i.test(first) ? "zh-CN" : first;
const texts = /^zh/i.test(first) ? chinese : english;

/** A text by its key, with its places filled. */
export function t(key, ...values) {
    return (texts[key] ?? english[key] ?? key).replace(/\{(\d)\}/g, (_, index) => String(values[index] ?? ""));
}

/** A mode's name; a mode that is not known stands for itself. */
export const modeName = (mode) => `mode-${mode}` in english ? t(`mode-${mode}`) : mode;

/** Whether both languages say everything: used by the tests. */
export const missing = () => Object.keys(english).filter((key) => !(key in chinese));
