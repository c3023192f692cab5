/// The countries in which a store can sell: their codes, languages and currencies.
///
/// A storefront's identifier is Apple's if that is publicly known; otherwise it is invented and recognizable, as in
/// `sandbox-ATA`. The currency is the country's own, even if Apple sells in US dollars there. The data is in a table
/// rather than taken from Foundation, so that tests find the same values on every platform and with every release.
package enum Storefronts {
    /// The data of a country.
    final class Country: Sendable {
        /// The storefront, with the country's code and an identifier.
        let storefront: StoreStorefront
        /// The country's main language and two-letter code, as in `de_DE`.
        let locale: String
        /// The currency, ISO 4217.
        let currency: String

        init(storefront: StoreStorefront, locale: String, currency: String) {
            (self.storefront, self.locale, self.currency) = (storefront, locale, currency)
        }

        /// The locale that formats prices in the country, as in `de_DE@currency=EUR`.
        var priceLocale: String { "\(locale)@currency=\(currency)" }
    }

    /// The country of a `.storekit` file or a test session that sets none (behavior 204).
    static let usa = country("USA")!

    /// Returns the storefront of a country; nil for an unassigned code.
    ///
    /// Codes are ISO 3166-1 alpha-3 in capitals, and `XKS` for Kosovo, which has no ISO code.
    package static func storefront(_ alpha3: String) -> StoreStorefront? { countries[alpha3]?.storefront }

    /// Returns the data of the country with a code; nil for an unassigned code.
    static func country(_ alpha3: String) -> Country? { countries[alpha3] }

    /// The codes of all countries with a storefront, in alphabetical order.
    static var codes: [String] { countries.keys.sorted() }

    private static let countries: [String: Country] = {
        var countries: [String: Country] = [:]
        for entry in table.split(whereSeparator: { $0 == "," || $0 == "\n" }) {
            let words = entry.split(separator: " ").map(String.init)
            let (code, region, language, currency, identifier) = (words[0], words[1], words[2], words[3], words[4])
            countries[code] = Country(
                storefront: StoreStorefront(
                    countryCode: code,
                    identifier: identifier == "-" ? "sandbox-\(code)" : identifier
                ),
                locale: "\(language)_\(region)",
                currency: currency
            )
        }
        return countries
    }()

    // The columns: alpha-3 code, alpha-2 code, language, currency, and Apple's identifier or "-".
    private static let table = """
        ABW AW nl AWG -, AFG AF fa AFN -, AGO AO pt AOA 143564, AIA AI en XCD 143538, ALA AX sv EUR -,
        ALB AL sq ALL 143575, AND AD ca EUR -, ARE AE ar AED 143481, ARG AR es ARS 143505, ARM AM hy AMD 143524,
        ASM AS en USD -, ATA AQ en USD -, ATF TF fr EUR -, ATG AG en XCD 143540, AUS AU en AUD 143460,
        AUT AT de EUR 143445, AZE AZ az AZN 143568, BDI BI fr BIF -, BEL BE nl EUR 143446, BEN BJ fr XOF 143576,
        BES BQ pap USD -, BFA BF fr XOF 143578, BGD BD bn BDT -, BGR BG bg EUR 143526, BHR BH ar BHD 143559,
        BHS BS en BSD 143539, BIH BA bs BAM -, BLM BL fr EUR -, BLR BY be BYN 143565, BLZ BZ en BZD 143555,
        BMU BM en BMD 143542, BOL BO es BOB 143556, BRA BR pt BRL 143503, BRB BB en BBD 143541, BRN BN ms BND 143560,
        BTN BT dz BTN 143577, BVT BV nb NOK -, BWA BW en BWP 143525, CAF CF fr XAF -, CAN CA en CAD 143455,
        CCK CC en AUD -, CHE CH de CHF 143459, CHL CL es CLP 143483, CHN CN zh CNY 143465, CIV CI fr XOF -,
        CMR CM fr XAF -, COD CD fr CDF -, COG CG fr XAF 143582, COK CK en NZD -, COL CO es COP 143501,
        COM KM fr KMF -, CPV CV pt CVE 143580, CRI CR es CRC 143495, CUB CU es CUP -, CUW CW pap XCG -,
        CXR CX en AUD -, CYM KY en KYD 143544, CYP CY el EUR 143557, CZE CZ cs CZK 143489, DEU DE de EUR 143443,
        DJI DJ fr DJF -, DMA DM en XCD 143545, DNK DK da DKK 143458, DOM DO es DOP 143508, DZA DZ ar DZD 143563,
        ECU EC es USD 143509, EGY EG ar EGP 143516, ERI ER ti ERN -, ESH EH ar MAD -, ESP ES es EUR 143454,
        EST EE et EUR 143518, ETH ET am ETB -, FIN FI fi EUR 143447, FJI FJ en FJD 143583, FLK FK en FKP -,
        FRA FR fr EUR 143442, FRO FO fo DKK -, FSM FM en USD 143591, GAB GA fr XAF -, GBR GB en GBP 143444,
        GEO GE ka GEL -, GGY GG en GBP -, GHA GH en GHS 143573, GIB GI en GIP -, GIN GN fr GNF -,
        GLP GP fr EUR -, GMB GM en GMD 143584, GNB GW pt XOF 143585, GNQ GQ es XAF -, GRC GR el EUR 143448,
        GRD GD en XCD 143546, GRL GL kl DKK -, GTM GT es GTQ 143504, GUF GF fr EUR -, GUM GU en USD -,
        GUY GY en GYD 143553, HKG HK zh HKD 143463, HMD HM en AUD -, HND HN es HNL 143510, HRV HR hr EUR 143494,
        HTI HT fr HTG -, HUN HU hu HUF 143482, IDN ID id IDR 143476, IMN IM en GBP -, IND IN en INR 143467,
        IOT IO en USD -, IRL IE en EUR 143449, IRN IR fa IRR -, IRQ IQ ar IQD -, ISL IS is ISK 143558,
        ISR IL he ILS 143491, ITA IT it EUR 143450, JAM JM en JMD 143511, JEY JE en GBP -, JOR JO ar JOD 143528,
        JPN JP ja JPY 143462, KAZ KZ kk KZT 143517, KEN KE en KES 143529, KGZ KG ky KGS 143586, KHM KH km KHR 143579,
        KIR KI en AUD -, KNA KN en XCD 143548, KOR KR ko KRW 143466, KWT KW ar KWD 143493, LAO LA lo LAK 143587,
        LBN LB ar LBP 143497, LBR LR en LRD 143588, LBY LY ar LYD -, LCA LC en XCD 143549, LIE LI de CHF -,
        LKA LK si LKR 143486, LSO LS en LSL -, LTU LT lt EUR 143520, LUX LU fr EUR 143451, LVA LV lv EUR 143519,
        MAC MO zh MOP 143515, MAF MF fr EUR -, MAR MA ar MAD -, MCO MC fr EUR -, MDA MD ro MDL 143523,
        MDG MG fr MGA 143531, MDV MV dv MVR -, MEX MX es MXN 143468, MHL MH en USD -, MKD MK mk MKD 143530,
        MLI ML fr XOF 143532, MLT MT en EUR 143521, MMR MM my MMK -, MNE ME sr EUR -, MNG MN mn MNT 143592,
        MNP MP en USD -, MOZ MZ pt MZN 143593, MRT MR ar MRU 143590, MSR MS en XCD 143547, MTQ MQ fr EUR -,
        MUS MU en MUR 143533, MWI MW en MWK 143589, MYS MY ms MYR 143473, MYT YT fr EUR -, NAM NA en NAD 143594,
        NCL NC fr XPF -, NER NE fr XOF 143534, NFK NF en AUD -, NGA NG en NGN 143561, NIC NI es NIO 143512,
        NIU NU en NZD -, NLD NL nl EUR 143452, NOR NO nb NOK 143457, NPL NP ne NPR 143484, NRU NR en AUD -,
        NZL NZ en NZD 143461, OMN OM ar OMR 143562, PAK PK en PKR 143477, PAN PA es PAB 143485, PCN PN en NZD -,
        PER PE es PEN 143507, PHL PH en PHP 143474, PLW PW en USD 143595, PNG PG en PGK 143597, POL PL pl PLN 143478,
        PRI PR es USD -, PRK KP ko KPW -, PRT PT pt EUR 143453, PRY PY es PYG 143513, PSE PS ar ILS -,
        PYF PF fr XPF -, QAT QA ar QAR 143498, REU RE fr EUR -, ROU RO ro RON 143487, RUS RU ru RUB 143469,
        RWA RW en RWF -, SAU SA ar SAR 143479, SDN SD ar SDG -, SEN SN fr XOF 143535, SGP SG en SGD 143464,
        SGS GS en GBP -, SHN SH en SHP -, SJM SJ nb NOK -, SLB SB en SBD 143601, SLE SL en SLE 143600,
        SLV SV es USD 143506, SMR SM it EUR -, SOM SO so SOS -, SPM PM fr EUR -, SRB RS sr RSD -,
        SSD SS en SSP -, STP ST pt STN 143598, SUR SR nl SRD 143554, SVK SK sk EUR 143496, SVN SI sl EUR 143499,
        SWE SE sv SEK 143456, SWZ SZ en SZL 143602, SXM SX en XCG -, SYC SC en SCR 143599, SYR SY ar SYP -,
        TCA TC en USD 143552, TCD TD fr XAF 143581, TGO TG fr XOF -, THA TH th THB 143475, TJK TJ tg TJS 143603,
        TKL TK en NZD -, TKM TM tk TMT 143604, TLS TL pt USD -, TON TO en TOP -, TTO TT en TTD 143551,
        TUN TN ar TND 143536, TUR TR tr TRY 143480, TUV TV en AUD -, TWN TW zh TWD 143470, TZA TZ sw TZS 143572,
        UGA UG en UGX 143537, UKR UA uk UAH 143492, UMI UM en USD -, URY UY es UYU 143514, USA US en USD 143441,
        UZB UZ uz UZS 143566, VAT VA it EUR -, VCT VC en XCD 143550, VEN VE es VES 143502, VGB VG en USD 143543,
        VIR VI en USD -, VNM VN vi VND 143471, VUT VU en VUV -, WLF WF fr XPF -, WSM WS en WST -,
        XKS XK sq EUR -, YEM YE ar YER 143571, ZAF ZA en ZAR 143472, ZMB ZM en ZMW -, ZWE ZW en ZWG 143605
        """
}

extension StoreStorefront {
    /// The currency of the storefront's country in ISO 4217; nil if the country's code is unassigned.
    package var currency: String? { Storefronts.country(countryCode)?.currency }
}
