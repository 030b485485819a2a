// SPDX-License-Identifier: MIT
#include "page_assets.h"

// Written in C because compiling the same bytes as a Swift array literal takes 13 s longer.

#define ASSET(symbol, file) { file, symbol, sizeof symbol }

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char base_js[] = {
#embed "../WPFleet/Page/assets/base.js"
};
static const unsigned char chart_js[] = {
#embed "../WPFleet/Page/assets/chart.js"
};
static const unsigned char detail_js[] = {
#embed "../WPFleet/Page/assets/detail.js"
};
static const unsigned char fleet_js[] = {
#embed "../WPFleet/Page/assets/fleet.js"
};
static const unsigned char index_html[] = {
#embed "../WPFleet/Page/assets/index.html"
};
static const unsigned char main_js[] = {
#embed "../WPFleet/Page/assets/main.js"
};
static const unsigned char openapi_json[] = {
#embed "../WPFleet/API/openapi.json"
};
static const unsigned char style_css[] = {
#embed "../WPFleet/Page/assets/style.css"
};
static const unsigned char theme_js[] = {
#embed "../WPFleet/Page/assets/theme.js"
};
static const unsigned char zh_js[] = {
#embed "../WPFleet/Page/assets/zh.js"
};

const struct wp_page_asset *wp_page_assets(void) {
    static const struct wp_page_asset assets[] = {
        ASSET(base_js, "base.js"),       ASSET(chart_js, "chart.js"), ASSET(detail_js, "detail.js"),
        ASSET(fleet_js, "fleet.js"),     ASSET(index_html, "index.html"), ASSET(main_js, "main.js"),
        ASSET(openapi_json, "openapi.json"), ASSET(style_css, "style.css"), ASSET(theme_js, "theme.js"),
        ASSET(zh_js, "zh.js"),
        {0},
    };
    return assets;
}
