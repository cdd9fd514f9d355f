package record

import "github.com/miekg/dns"

// examples shows the written form of the types that people get wrong.
var examples = map[uint16]string{
	dns.TypeCNAME: "www.example.org.",
	dns.TypeNS:    "ns1.example.org.",
	dns.TypePTR:   "host.example.org.",
	dns.TypeMX:    "10 mail.example.org.",
	dns.TypeSRV:   "10 60 5060 sip.example.org.",
	dns.TypeCAA:   `0 issue "ca.example.net"`,
	dns.TypeSOA:   "ns1.example.org. hostmaster.example.org. 1 7200 900 1209600 60",
	dns.TypeNAPTR: `100 10 "U" "E2U+sip" "!^.*$!sip:info@example.org!" .`,
	dns.TypeDS:    "60485 8 2 HEX-DIGEST",
	dns.TypeTLSA:  "3 1 1 HEX-DIGEST",
	dns.TypeSSHFP: "4 2 HEX-DIGEST",
	dns.TypeHTTPS: "1 . alpn=h2,h3",
	dns.TypeSVCB:  "1 svc.example.org. port=8443",
	dns.TypeTXT:   `"first string" "second string"`,
}

// example ends an error message with the form that would have been right.
func example(t uint16) string {
	if e, ok := examples[t]; ok {
		return "; it is written like: " + e
	}
	if _, ok := dns.TypeToRR[t]; !ok {
		return `; it is written like: \# 4 0A000001`
	}
	return ""
}
