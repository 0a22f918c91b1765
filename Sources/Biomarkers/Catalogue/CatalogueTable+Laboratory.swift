extension CatalogueTable {
    /// What laboratories answer: metabolism, lipids, inflammation, kidney, liver.
    ///
    /// LOINC is © Regenstrief Institute, Inc.; code and official name stay together.
    static let chemistry = """
        lab | fasting_glucose | Fasting glucose | glucose | 0 | 20...800 |
        loinc | 1558-6 | Fasting glucose [Mass/volume] in Serum or Plasma | G
        loinc | 2345-7 | Glucose [Mass/volume] in Serum or Plasma | AB
        loinc | 14749-6 | Glucose [Moles/volume] in Serum or Plasma | B
        loinc | 2339-0 | Glucose [Mass/volume] in Blood | BC
        names | Glucose; Fasting glucose; Glucose, fasting; Glucose, serum; Glucose, plasma; Glucose level
        lab | hba1c | Hemoglobin A1c | hba1c | 1 | 2...25 |
        loinc | 4548-4 | Hemoglobin A1c/Hemoglobin.total in Blood | AB
        loinc | 17856-6 | Hemoglobin A1c/Hemoglobin.total in Blood by HPLC | B
        loinc | 59261-8 | Hemoglobin A1c/Hemoglobin.total in Blood by IFCC protocol | B
        names | Hemoglobin A1c; Haemoglobin A1c; HbA1c; A1c; Hgb A1c; Glycated hemoglobin; Glycohemoglobin A1c
        lab | insulin | Insulin | insulin | 1 | |
        loinc | 20448-7 | Insulin [Units/volume] in Serum or Plasma | A
        names | Insulin; Insulin, fasting; Fasting insulin
        lab | c_peptide | C-peptide | ng_per_ml | 2 | |
        loinc | 1986-9 | C peptide [Mass/volume] in Serum or Plasma | A
        names | C-peptide
        lab | cholesterol_total | Total cholesterol | cholesterol | 0 | 20...1500 |
        loinc | 2093-3 | Cholesterol [Mass/volume] in Serum or Plasma | AB
        loinc | 14647-2 | Cholesterol [Moles/volume] in Serum or Plasma | B
        names | Cholesterol; Cholesterol, total; Total cholesterol
        lab | hdl_cholesterol | HDL cholesterol | cholesterol | 0 | 1...300 |
        loinc | 2085-9 | Cholesterol in HDL [Mass/volume] in Serum or Plasma | ABC
        loinc | 14646-4 | Cholesterol in HDL [Moles/volume] in Serum or Plasma | BC
        names | HDL cholesterol; HDL-C; HDL; Cholesterol, HDL
        lab | ldl_cholesterol | LDL cholesterol | cholesterol | 0 | 1...1000 |
        loinc | 13457-7 | Cholesterol in LDL [Mass/volume] in Serum or Plasma by calculation | BC
        loinc | 18262-6 | Cholesterol in LDL [Mass/volume] in Serum or Plasma by Direct assay | BC
        loinc | 2089-1 | Cholesterol in LDL [Mass/volume] in Serum or Plasma | ABC
        loinc | 39469-2 | Cholesterol in LDL [Moles/volume] in Serum or Plasma by calculation | BC
        loinc | 22748-8 | Cholesterol in LDL [Moles/volume] in Serum or Plasma | BC
        names | LDL cholesterol; LDL-C; LDL; Cholesterol, LDL; LDL calculated; LDL cholesterol, calculated; LDL direct
        lab | non_hdl_cholesterol | Non-HDL cholesterol | cholesterol | 0 | |
        loinc | 43396-1 | Cholesterol non HDL [Mass/volume] in Serum or Plasma | AB
        names | Non-HDL cholesterol; Cholesterol, non-HDL; Non HDL-C
        lab | vldl_cholesterol | VLDL cholesterol | cholesterol | 0 | |
        loinc | 2091-7 | Cholesterol in VLDL [Mass/volume] in Serum or Plasma | A
        names | VLDL cholesterol; VLDL; Cholesterol, VLDL; VLDL cholesterol, calculated
        lab | triglycerides | Triglycerides | triglycerides | 0 | 5...10000 |
        loinc | 2571-8 | Triglyceride [Mass/volume] in Serum or Plasma | AB
        loinc | 14927-8 | Triglyceride [Moles/volume] in Serum or Plasma | B
        loinc | 3043-7 | Triglyceride [Mass/volume] in Blood | BC
        names | Triglycerides; Triglyceride
        lab | apob | Apolipoprotein B | apolipoprotein | 0 | |
        loinc | 1884-6 | Apolipoprotein B [Mass/volume] in Serum or Plasma | A
        names | Apolipoprotein B; ApoB; Apo B; Apolipoprotein B-100
        lab | apoa1 | Apolipoprotein A-I | apolipoprotein | 0 | |
        loinc | 1869-7 | Apolipoprotein A-I [Mass/volume] in Serum or Plasma | A
        names | Apolipoprotein A-I; Apolipoprotein A1; ApoA1; Apo A1; Apo A-I
        lab | lipoprotein_a_mass | Lipoprotein(a), mass | lipoprotein_a_mass | 0 | |
        loinc | 10835-7 | Lipoprotein a [Mass/volume] in Serum or Plasma | A
        names | Lipoprotein (a); Lipoprotein a; Lp(a); LPA
        lab | lipoprotein_a_molar | Lipoprotein(a), molar | lipoprotein_a_molar | 0 | |
        loinc | 43583-4 | Lipoprotein a [Moles/volume] in Serum or Plasma | G
        names | Lipoprotein (a); Lipoprotein a; Lp(a); LPA
        lab | homocysteine | Homocysteine | umol_per_l | 1 | |
        loinc | 13965-9 | Homocysteine [Moles/volume] in Serum or Plasma | A
        names | Homocysteine
        lab | hs_crp | High-sensitivity CRP | crp | 1 | |
        loinc | 30522-7 | C reactive protein [Mass/volume] in Serum or Plasma by High sensitivity method | G
        names | hs-CRP; hsCRP; CRP, high sensitivity; C-reactive protein, high sensitivity; High sensitivity CRP; C-reactive protein, cardiac
        lab | crp | C-reactive protein | crp | 1 | |
        loinc | 1988-5 | C reactive protein [Mass/volume] in Serum or Plasma | A
        names | CRP; C-reactive protein
        lab | creatinine | Creatinine | creatinine | 2 | |
        loinc | 2160-0 | Creatinine [Mass/volume] in Serum or Plasma | ABC
        loinc | 14682-9 | Creatinine [Moles/volume] in Serum or Plasma | BCF
        names | Creatinine; Creatinine, serum
        lab | egfr | eGFR (CKD-EPI 2021) | filtration | 0 | |
        loinc | 98979-8 | Glomerular filtration rate [Volume Rate/Area] in Serum, Plasma or Blood by Creatinine-based formula (CKD-EPI 2021)/1.73 sq M | G
        names | eGFR CKD-EPI 2021; eGFR (CKD-EPI 2021)
        lab | egfr_ckd_epi | eGFR (CKD-EPI) | filtration | 0 | |
        loinc | 62238-1 | Glomerular filtration rate [Volume Rate/Area] in Serum, Plasma or Blood by Creatinine-based formula (CKD-EPI)/1.73 sq M | B
        names | eGFR CKD-EPI
        lab | egfr_mdrd | eGFR (MDRD) | filtration | 0 | |
        loinc | 33914-3 | Glomerular filtration rate [Volume Rate/Area] in Serum or Plasma by Creatinine-based formula (MDRD)/1.73 sq M | B
        names | eGFR MDRD
        lab | urea_nitrogen | Urea nitrogen | mg_per_dl | 0 | |
        loinc | 3094-0 | Urea nitrogen [Mass/volume] in Serum or Plasma | F
        names | Urea nitrogen; BUN; Blood urea nitrogen; Urea nitrogen (BUN)
        lab | urate | Urate | urate | 1 | |
        loinc | 3084-1 | Urate [Mass/volume] in Serum or Plasma | A
        names | Uric acid; Urate
        lab | albumin_creatinine_ratio | Albumin/creatinine ratio, urine | albumin_creatinine_ratio | 0 | | urine ratio
        loinc | 9318-7 | Albumin/Creatinine [Mass Ratio] in Urine | AB
        loinc | 14959-1 | Microalbumin/Creatinine [Mass Ratio] in Urine | B
        names | Albumin/creatinine ratio, urine; Albumin/creatinine ratio; Urine albumin/creatinine ratio; Microalbumin/creatinine ratio, urine
        lab | alt | ALT | enzyme | 0 | |
        loinc | 1742-6 | Alanine aminotransferase [Enzymatic activity/volume] in Serum or Plasma | A
        names | ALT; Alanine aminotransferase; ALT (SGPT); SGPT
        lab | ast | AST | enzyme | 0 | |
        loinc | 1920-8 | Aspartate aminotransferase [Enzymatic activity/volume] in Serum or Plasma | A
        names | AST; Aspartate aminotransferase; AST (SGOT); SGOT
        lab | ggt | GGT | enzyme | 0 | |
        loinc | 2324-2 | Gamma glutamyl transferase [Enzymatic activity/volume] in Serum or Plasma | A
        names | GGT; Gamma GT; Gamma glutamyl transferase; Gamma-glutamyl transferase
        lab | alkaline_phosphatase | Alkaline phosphatase | enzyme | 0 | |
        loinc | 6768-6 | Alkaline phosphatase [Enzymatic activity/volume] in Serum or Plasma | A
        names | Alkaline phosphatase; ALP; Alk phos
        lab | bilirubin_total | Total bilirubin | bilirubin | 1 | |
        loinc | 1975-2 | Bilirubin.total [Mass/volume] in Serum or Plasma | AB
        loinc | 14631-6 | Bilirubin.total [Moles/volume] in Serum or Plasma | B
        names | Bilirubin, total; Total bilirubin
        lab | albumin | Albumin | g_per_dl | 1 | |
        loinc | 1751-7 | Albumin [Mass/volume] in Serum or Plasma | ABC
        names | Albumin; Albumin, serum
        lab | total_protein | Total protein | g_per_dl | 1 | |
        loinc | 2885-2 | Protein [Mass/volume] in Serum or Plasma | AC
        names | Protein, total; Total protein; Protein, total, serum
        """

    /// What laboratories answer: electrolytes, hormones, vitamins, iron, blood count.
    static let haematologyAndHormones = """
        lab | sodium | Sodium | monovalent_ion | 0 | |
        loinc | 2951-2 | Sodium [Moles/volume] in Serum or Plasma | ABCF
        names | Sodium; Sodium, serum
        lab | potassium | Potassium | monovalent_ion | 1 | |
        loinc | 2823-3 | Potassium [Moles/volume] in Serum or Plasma | ABCF
        names | Potassium; Potassium, serum
        lab | chloride | Chloride | monovalent_ion | 0 | |
        loinc | 2075-0 | Chloride [Moles/volume] in Serum or Plasma | ACF
        names | Chloride; Chloride, serum
        lab | calcium | Calcium | calcium | 1 | |
        loinc | 17861-6 | Calcium [Mass/volume] in Serum or Plasma | A
        names | Calcium; Calcium, serum; Calcium, total
        lab | magnesium | Magnesium | mg_per_dl | 1 | |
        loinc | 19123-9 | Magnesium [Mass/volume] in Serum or Plasma | A
        names | Magnesium; Magnesium, serum
        lab | phosphate | Phosphate | mg_per_dl | 1 | |
        loinc | 2777-1 | Phosphate [Mass/volume] in Serum or Plasma | A
        names | Phosphate; Phosphorus; Phosphate (as phosphorus)
        lab | tsh | TSH | thyrotropin | 2 | |
        loinc | 3016-3 | Thyrotropin [Units/volume] in Serum or Plasma | ABC
        loinc | 11580-8 | Thyrotropin [Units/volume] in Serum or Plasma by Detection limit <= 0.005 mIU/L | B
        names | TSH; Thyrotropin; Thyroid stimulating hormone; TSH, third generation; TSH, 3rd generation
        lab | free_t4 | Free T4 | ng_per_dl | 2 | | free
        loinc | 3024-7 | Thyroxine (T4) free [Mass/volume] in Serum or Plasma | A
        names | Free T4; T4, free; FT4; Thyroxine, free; Free thyroxine
        lab | free_t3 | Free T3 | pg_per_ml | 1 | | free
        loinc | 3051-0 | Triiodothyronine (T3) Free [Mass/volume] in Serum or Plasma | A
        names | Free T3; T3, free; FT3; Triiodothyronine, free
        lab | vitamin_d | Vitamin D, 25-hydroxy | vitamin_d | 0 | |
        loinc | 62292-8 | 25-Hydroxyvitamin D3+25-Hydroxyvitamin D2 [Mass/volume] in Serum or Plasma | A
        names | Vitamin D, 25-OH, total; Vitamin D, 25-hydroxy; 25-hydroxyvitamin D; 25-OH vitamin D; Vitamin D 25-OH
        lab | vitamin_b12 | Vitamin B12 | vitamin_b12 | 0 | |
        loinc | 2132-9 | Cobalamin (Vitamin B12) [Mass/volume] in Serum or Plasma | A
        names | Vitamin B12; B12; Cobalamin
        lab | folate | Folate | folate | 1 | |
        loinc | 2284-8 | Folate [Mass/volume] in Serum or Plasma | A
        names | Folate; Folic acid; Folate, serum
        lab | ferritin | Ferritin | ng_per_ml | 0 | |
        loinc | 2276-4 | Ferritin [Mass/volume] in Serum or Plasma | A
        names | Ferritin
        lab | iron | Iron | iron | 0 | |
        loinc | 2498-4 | Iron [Mass/volume] in Serum or Plasma | A
        names | Iron; Iron, total; Iron, serum
        lab | tibc | Iron binding capacity | iron | 0 | |
        loinc | 2500-7 | Iron binding capacity [Mass/volume] in Serum or Plasma | A
        names | TIBC; Iron binding capacity; Total iron binding capacity
        lab | transferrin_saturation | Transferrin saturation | percent | 0 | |
        loinc | 2502-3 | Iron saturation [Mass Fraction] in Serum or Plasma | A
        names | Transferrin saturation; Iron saturation; % saturation
        lab | hemoglobin | Hemoglobin | g_per_dl | 1 | |
        loinc | 718-7 | Hemoglobin [Mass/volume] in Blood | ABF
        names | Hemoglobin; Haemoglobin; Hgb; Hb
        lab | hematocrit | Hematocrit | percent | 1 | |
        loinc | 4544-3 | Hematocrit [Volume Fraction] of Blood by Automated count | A
        loinc | 20570-8 | Hematocrit [Volume Fraction] of Blood | C
        names | Hematocrit; Haematocrit; Hct
        lab | erythrocytes | Red blood cells | million_cells | 2 | |
        loinc | 789-8 | Erythrocytes [#/volume] in Blood by Automated count | CF
        loinc | 26453-1 | Erythrocytes [#/volume] in Blood | A
        names | Red blood cell count; RBC; Erythrocytes; Red blood cells
        lab | leukocytes | White blood cells | thousand_cells | 1 | |
        loinc | 6690-2 | Leukocytes [#/volume] in Blood by Automated count | C
        loinc | 26464-8 | Leukocytes [#/volume] in Blood | A
        names | White blood cell count; WBC; Leukocytes; White blood cells
        lab | platelets | Platelets | thousand_cells | 0 | |
        loinc | 777-3 | Platelets [#/volume] in Blood by Automated count | B
        loinc | 26515-7 | Platelets [#/volume] in Blood | A
        names | Platelet count; Platelets; PLT
        lab | mcv | Mean corpuscular volume | femtolitres | 1 | |
        loinc | 30428-7 | MCV [Entitic mean volume] in Red Blood Cells | A
        names | MCV; Mean corpuscular volume
        lab | testosterone_total | Total testosterone | testosterone | 0 | |
        loinc | 2986-8 | Testosterone [Mass/volume] in Serum or Plasma | A
        names | Testosterone, total; Total testosterone; Testosterone, total, MS; Testosterone
        lab | shbg | Sex hormone binding globulin | nmol_per_l | 0 | |
        loinc | 13967-5 | Sex hormone binding globulin [Moles/volume] in Serum or Plasma | A
        names | SHBG; Sex hormone binding globulin
        lab | estradiol | Estradiol | pg_per_ml | 0 | |
        loinc | 2243-4 | Estradiol (E2) [Mass/volume] in Serum or Plasma | A
        names | Estradiol; Oestradiol
        lab | dhea_s | DHEA sulfate | ug_per_dl | 0 | |
        loinc | 2191-5 | Dehydroepiandrosterone sulfate (DHEA-S) [Mass/volume] in Serum or Plasma | A
        names | DHEA-S; DHEA sulfate; DHEA-sulfate; Dehydroepiandrosterone sulfate
        lab | cortisol | Cortisol | ug_per_dl | 1 | |
        loinc | 2143-6 | Cortisol [Mass/volume] in Serum or Plasma | A
        names | Cortisol; Cortisol, total; Cortisol, A.M.
        lab | igf_1 | IGF-1 | ng_per_ml | 0 | |
        loinc | 2484-4 | Insulin-like growth factor-I [Mass/volume] in Serum or Plasma | A
        names | IGF-1; IGF 1; Insulin-like growth factor 1; Insulin-like growth factor-I
        lab | psa_total | PSA, total | ng_per_ml | 2 | |
        loinc | 2857-1 | Prostate specific Ag [Mass/volume] in Serum or Plasma | A
        names | PSA, total; PSA; Prostate specific antigen; Total PSA
        """
}
